/** The style sheet of the page. Its policy allows only a style with its digest. */
import { BASE_STYLE } from '../../../pages/base-style.ts'

export const STYLE = `${BASE_STYLE}h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 0 0 0.5rem; font-size: 1.125rem; }
h3 { margin: 0; font-size: 1rem; }
h3 bdi + .code { color: var(--quiet); font-weight: 400; }
header { padding: 2rem 1rem; background: var(--card); border-bottom: 1px solid var(--line); }
main, footer { max-width: 70rem; margin: 0 auto; }
header > div { max-width: 68rem; margin: 0 auto; display: flex; flex-wrap: wrap; gap: 0.75rem 1.25rem; }
header > div > div { flex: 1 1 16rem; }
header img, .letter { width: 4rem; height: 4rem; flex: none; border-radius: 0.75rem; }
.letter { background: var(--accent); color: var(--on-accent); font: 600 2rem/4rem system-ui, sans-serif; text-align: center; }
header p { margin: 0.375rem 0 0; }
.lead { max-width: 44rem; font-size: 1.0625rem; }
main { display: grid; gap: 2rem; padding: 1.5rem 1rem; grid-template-columns: minmax(0, 1fr); }
.offer { display: grid; gap: 2rem; align-content: start; grid-template-columns: minmax(0, 1fr); }
.card, section > ul > li {
  padding: 0.75rem 1rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.5rem;
}
section > ul { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.connect > .card { margin: 1rem 0; padding: 0 1rem; }
.connect details { padding: 0.5rem 0; border-top: 1px solid var(--line); }
.connect details:first-child { border-top: 0; }
.why { padding: 0.75rem 1.25rem 1.25rem; }
summary { min-height: 1.75rem; }
li summary { font-weight: 400; font-size: 0.875rem; }
.facts { display: flex; flex-wrap: wrap; gap: 0.375rem; font-size: 0.8125rem; }
.facts span { padding: 0 0.5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--quiet); }
pre {
  margin: 0.5rem 0;
  padding: 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.375rem;
  background: var(--card);
  white-space: pre-wrap;
  -webkit-user-select: all;
  user-select: all;
}
.card pre { background: var(--page); }
.button {
  display: inline-block;
  min-height: 2.75rem;
  padding: 0.625rem 1rem;
  border-radius: 0.5rem;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
  text-decoration: none;
}
.button:hover { background: var(--accent-hover); }
dl { margin: 0.5rem 0 0; font-size: 0.9375rem; }
dd { margin: 0 0 0.5rem; color: var(--quiet); }
footer { padding: 0 1rem 1.5rem; color: var(--quiet); font-size: 0.875rem; }
@media (min-width: 60rem) {
  main.beside { gap: 2.5rem; grid-template-columns: 22rem minmax(0, 1fr); }
}
@media (min-width: 60rem) and (min-height: 50rem) {
  .connect { position: sticky; top: 1.5rem; align-self: start; }
}
`

/** The digest of {@link STYLE} for `style-src`. A test compares the two. */
export const STYLE_SOURCE = "'sha256-6zXhhAH6QGan+yA78LVfOceFEkfVhkHk9x0PgVHbOtM='"
