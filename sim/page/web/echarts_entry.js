// SPDX-License-Identifier: Apache-2.0
// What the page needs of Apache ECharts: everything else is left out of the bundle.
import * as core from 'echarts/core';
import {BarChart, HeatmapChart, LineChart, ScatterChart} from 'echarts/charts';
import {
  AriaComponent, AxisPointerComponent, DataZoomComponent, GridComponent, LegendComponent, MarkAreaComponent,
  MarkLineComponent, TooltipComponent, VisualMapContinuousComponent,
} from 'echarts/components';
import {SVGRenderer} from 'echarts/renderers';

core.use([
  BarChart, HeatmapChart, LineChart, ScatterChart, AriaComponent, AxisPointerComponent, DataZoomComponent, GridComponent,
  LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent,
  VisualMapContinuousComponent, SVGRenderer,
]);
globalThis.echarts = core;
