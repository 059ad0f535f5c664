// SPDX-License-Identifier: Apache-2.0
// What the page needs of Apache ECharts: everything else is left out of the bundle.
import * as core from 'echarts/core';
import {BarChart, LineChart, ScatterChart} from 'echarts/charts';
import {
  AriaComponent, AxisPointerComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent,
  MarkLineComponent, TooltipComponent,
} from 'echarts/components';
import {SVGRenderer} from 'echarts/renderers';

core.use([
  BarChart, LineChart, ScatterChart, AriaComponent, AxisPointerComponent, DataZoomComponent, GridComponent,
  LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent, SVGRenderer,
]);
globalThis.echarts = core;
