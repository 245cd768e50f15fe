/** The style sheet of the pages of authorization. Their policy allows only a style with its digest. */
import { BASE_STYLE } from '../../pages/base-style.ts'

/** A clicked button ignores clicks for a second: that of a double click would cancel the answer to the first. */
export const STYLE = `${BASE_STYLE}body { padding: 1.5rem 1rem; }
main { max-width: 30rem; }
.card {
  padding: 1.5rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
}
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3; font-weight: 650; text-wrap: balance; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; font-weight: 650; }
.site { margin: 0 0 0.75rem; color: var(--quiet); font-size: 0.875rem; }
dl { margin: 0; font-size: 0.9375rem; }
dl > div { padding: 0.5rem 0; border-top: 1px solid var(--line); }
dl > div:last-child { border-bottom: 1px solid var(--line); }
dt { color: var(--quiet); font-size: 0.8125rem; }
dd { margin: 0; }
.rows { margin-top: 0.75rem; }
.rows > div { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; }
.rows dt { flex: 0 0 6rem; }
.rows dd { flex: 1 1 9rem; }
.scopes li { position: relative; padding: 0.25rem 0 0.25rem 2rem; }
.scopes li::before {
  content: "";
  position: absolute;
  left: 0.4375rem;
  top: 0.6rem;
  width: 0.375rem;
  height: 0.6875rem;
  border: solid var(--accent);
  border-width: 0 2px 2px 0;
  transform: rotate(40deg);
}
.scopes .code, fieldset .code { color: var(--quiet); white-space: normal; }
.note {
  margin: 1rem 0 0;
  padding: 0.75rem 0.875rem;
  border-left: 4px solid var(--warn-line);
  border-radius: 0.375rem;
  background: var(--warn-back);
  color: var(--warn-text);
  font-size: 0.9375rem;
}
.note.bad { border-color: var(--bad-line); background: var(--bad-back); color: var(--bad-text); }
.note.good { border-color: var(--good-line); background: var(--good-back); color: var(--good-text); }
.note strong { display: block; }
form { margin: 1.25rem 0 0; }
form .note { margin: 0 0 1rem; }
form :is(ul, fieldset, .quiet) + .note { margin-top: 1rem; }
label { display: block; margin-bottom: 0.25rem; font-weight: 600; }
label + :is(input, select, textarea) { margin-bottom: 1rem; }
input:not([type="checkbox"]), select, textarea {
  display: block;
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--control);
  border-radius: 0.5rem;
  background: var(--page);
  color: var(--text);
  font: inherit;
  font-size: 1rem;
}
textarea { min-height: 9rem; resize: vertical; word-break: break-all; }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; }
legend { padding: 0; font-weight: 600; }
.scopes ~ fieldset { margin-top: 0.75rem; }
legend .quiet { display: block; padding-bottom: 0.25rem; font-weight: 400; }
.check {
  display: flex;
  align-items: center;
  gap: 0.75rem;
  min-height: 2.75rem;
  margin: 1rem 0 0;
  padding: 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  cursor: pointer;
}
fieldset .check {
  align-items: flex-start;
  margin: 0;
  padding: 0.625rem 0;
  border-width: 1px 0 0;
  border-radius: 0;
  font-weight: 400;
}
fieldset .check:last-child { border-bottom-width: 1px; }
fieldset .check input { margin-top: 0.125rem; }
.check input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); font-size: 1rem; }
input[aria-invalid="true"] { border-color: var(--bad-line); }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1rem; }
button {
  flex: 1 1 8rem;
  min-height: 2.75rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--control);
  border-radius: 0.5rem;
  background: transparent;
  color: var(--text);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:hover { background: var(--page); }
button.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.main:hover { border-color: var(--accent-hover); background: var(--accent-hover); }
button.small { flex: 0 0 auto; }
button:focus:not(:active, :focus-visible) { animation: clicked 1s; }
@keyframes clicked { from, to { pointer-events: none; } }
.person {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0.5rem 1rem;
  margin: 1rem 0 0;
}
.person p { margin: 0; flex: 1 1 10rem; }
.app { margin-top: 1rem; }
.app h2 { margin: 0; font-size: 1.125rem; }
.app form { margin-top: 0.5rem; }
.app .buttons { margin-top: 0.75rem; }
.app details { margin-top: 0.75rem; }
.app input + p { margin-top: 0; }
.app dl + .scopes { margin-top: 1rem; }
.next { margin: 2rem 0 1rem; font-size: 1.375rem; line-height: 1.3; }
.app h3 { margin: 0; font-size: 1.125rem; font-weight: 650; }
.tokens li { padding: 0.75rem 0; border-top: 1px solid var(--line); }
.tokens li:first-child { padding-top: 0; border-top: 0; }
.tokens li:last-child { padding-bottom: 0; }
.tokens button { margin-top: 0.25rem; }
details .tokens { margin-top: 0.75rem; }
.tokens .row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; }
.tokens .row > div { flex: 1 1 9.5rem; }
.row p { margin: 0; }
.row button { margin: 0; }
@media (forced-colors: active) {
  .scopes li::before { border-color: CanvasText; }
  .note { border: 1px solid; border-left-width: 4px; }
}
@media (max-width: 24rem) {
  body { padding: 0.75rem 0.5rem; }
  .card { padding: 1.125rem 1rem; }
}
`

/** The digest of {@link STYLE} for `style-src`. A test compares the two. */
export const STYLE_SOURCE = "'sha256-ZPW2Bf4GPvnbKg8gNSqEag50vpD3QTEVqSca2fvzkEA='"
