// SPDX-License-Identifier: Apache-2.0
// One headless Chromium. Each line of the input is a page and what to do there; the answer is a line of JSON with what it saw.
//   node browser.mjs PACKAGES    PACKAGES: where node_modules/playwright-core is
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

const {chromium} = createRequire(join(process.argv[2], 'package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

/// In a context of its own, which knows nothing of the pages before.
async function look({file, scheme, steps}) {
  const seen = {errors: [], requests: [], answers: []};
  const context = await browser.newContext({colorScheme: scheme, viewport: {width: 1280, height: 900}});
  try {
    await follow(await context.newPage(), file, steps, seen);
  } catch (error) {
    seen.errors.push(String(error));
  } finally {
    await context.close();
  }
  return seen;
}

async function follow(page, file, steps, seen) {
  page.setDefaultTimeout(120000);  // other tests may have the processors
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && seen.errors.push(page.url() + ': ' + message.text()));
  page.on('pageerror', (error) => seen.errors.push(String(error)));
  page.on('dialog', (dialog) => {
    seen.errors.push('dialog: ' + dialog.message());
    dialog.dismiss();
  });
  page.on('request', (request) => seen.requests.push(request.url()));
  const open = async (path) => {
    await page.goto('file://' + path);
    await page.waitForSelector('html[data-ready=yes]');
    await page.waitForTimeout(300);
  };
  await open(file);
  for (const step of steps) {
    if (step.scheme) await page.emulateMedia({colorScheme: step.scheme});
    if (step.width) await page.setViewportSize({width: step.width, height: 900});
    if (step.open) await open(step.open);
    if (step.click) await page.click(step.click);
    if (step.fill) await page.fill(step.fill, step.text);
    if (step.ask) seen.answers.push(await page.evaluate(step.ask));
    if (step.shot) await (step.of ? page.locator(step.of).first().screenshot({path: step.shot}) : page.screenshot({path: step.shot, fullPage: true}));
  }
}

try {
  for await (const line of createInterface({input: process.stdin})) {
    console.log(JSON.stringify(await look(JSON.parse(line))));
  }
} finally {
  await browser.close();
}
