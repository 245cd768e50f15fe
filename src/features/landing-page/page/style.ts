/** The style sheet of the page. Its policy allows only a style with its digest. */
import { BASE_STYLE } from '../../../pages/base-style.ts'

export const STYLE = `${BASE_STYLE}body { padding: 2rem 1rem; }
main, footer { max-width: 44rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1rem; }
header { display: flex; gap: 1rem; align-items: center; }
header img { width: 3rem; height: 3rem; flex: none; }
section > ul > li, section > details {
  margin: 0.5rem 0 0;
  padding: 0.75rem 1rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.5rem;
}
summary { min-height: 1.75rem; }
footer { color: var(--quiet); font-size: 0.875rem; }
pre {
  margin: 0.5rem 0;
  padding: 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.375rem;
  background: var(--page);
  white-space: pre-wrap;
  -webkit-user-select: all;
  user-select: all;
}
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
footer { margin-top: 2rem; }
`

/** The digest of {@link STYLE} for `style-src`. A test compares the two. */
export const STYLE_SOURCE = "'sha256-xp78ghYOMgsvSrOUOfbwwJ45ZvaYVFSCw3+oYmO8Nd8='"
