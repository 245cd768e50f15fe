/** The rules that all pages share: colours, text, links, lists, code and focus. Each page adds its own after them. */
import { COLORS } from './colors.ts'

export const BASE_STYLE = `${COLORS}* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
main { margin: 0 auto; }
p { margin: 0.5rem 0; }
a { color: var(--accent); }
ul { margin: 0; padding: 0; list-style: none; }
summary { font-weight: 600; cursor: pointer; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
.code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.875em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`
