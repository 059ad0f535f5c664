// SPDX-License-Identifier: Apache-2.0
// Opens a page in a headless Chromium, does what is asked and prints what it saw as JSON.
//   node browser.mjs PACKAGES STEPS.json    PACKAGES: where node_modules/playwright-core is
import {readFileSync, rmSync, mkdtempSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const {chromium} = createRequire(join(process.argv[2], 'package.json'))('playwright-core');
const {file, scheme = 'light', steps = []} = JSON.parse(readFileSync(process.argv[3]));
const profile = mkdtempSync(join(tmpdir(), 'sassim-page-'));
const seen = {errors: [], requests: [], answers: []};
const context = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium', headless: true, colorScheme: scheme, viewport: {width: 1280, height: 900},
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
try {
  const page = await context.newPage();
  page.setDefaultTimeout(120000);  // other tests may have the processors
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && seen.errors.push(message.text()));
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
} finally {
  await context.close();
  rmSync(profile, {recursive: true, force: true});
}
console.log(JSON.stringify(seen));
