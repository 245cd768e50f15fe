/** The page at which a person uploads a file: one form, without scripts. */
import { raw } from 'hono/html'
import { BASE_STYLE } from '../../pages/base-style.ts'
import { htmlResponse } from '../../pages/html-response.ts'
import { html, type Markup } from '../../pages/markup.ts'
import { untrustedName, untrustedText } from '../../pages/untrusted-text.ts'
import { boundsWords } from './operations/file-words.ts'
import type { UploadView } from './transport/serve-upload.ts'

/** The digest of {@link UPLOAD_STYLE}. A test compares them. */
export const UPLOAD_STYLE_SOURCE = "'sha256-nH9oOY7WW829hhI0tynLEDxDE/XuF8q8dok+gjtFYys='"

export const UPLOAD_STYLE = `${BASE_STYLE}body { padding: 1.5rem 1rem; }
main { max-width: 30rem; }
.card { padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; }
.site { margin: 0 0 0.75rem; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.3; font-weight: 650; }
dl { margin: 1rem 0 0; font-size: 0.9375rem; }
dl > div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
dt { flex: 0 0 5rem; color: var(--quiet); }
dd { flex: 1 1 12rem; margin: 0; }
.note { margin: 1rem 0 0; padding: 0.75rem 0.875rem; border-left: 4px solid var(--good-line); border-radius: 0.375rem; background: var(--good-back); color: var(--good-text); }
.bad { border-color: var(--bad-line); background: var(--bad-back); color: var(--bad-text); }
form { padding-top: 1rem; border-top: 1px solid var(--line); }
.note + form { margin-top: 1rem; }
label { font-weight: 600; }
input { display: block; width: 100%; min-height: 3.5rem; margin: 0.5rem 0; padding: 0.625rem; border: 1px dashed var(--control); border-radius: 0.5rem; font: inherit; font-size: 1rem; }
input::file-selector-button { min-height: 2rem; margin-right: 0.75rem; padding: 0 0.75rem; border: 1px solid var(--control); border-radius: 0.375rem; background: var(--page); color: var(--text); font: inherit; font-weight: 600; cursor: pointer; }
button { width: 100%; min-height: 2.75rem; margin-top: 0.5rem; border: 0; border-radius: 0.5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button:hover { background: var(--accent-hover); }
`

/** Longest text of a refusal, in code points. It may name the accepted types. */
const MAX_TEXT = 2000

export function uploadPage(
  { status, title, message, upload, about, headers }: UploadView,
  serverName: string,
): Response {
  const isRefusal = status >= 400
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(UPLOAD_STYLE)}</style>
</head>
<body>
<main>
<p class="site quiet">${untrustedName(serverName)}</p>
<div class="card">
<h1>${title}</h1>
${about === undefined ? undefined : purposeOf(about)}
${message === '' ? undefined : html`<p class="note${isRefusal ? ' bad' : ''}" role="${isRefusal ? 'alert' : 'status'}"><bdi>${untrustedText(message, MAX_TEXT)}</bdi></p>`}
${upload === undefined ? undefined : formOf(upload)}
</div>
</main>
</body>
</html>
`
  return htmlResponse(page, {
    status,
    styleSource: UPLOAD_STYLE_SOURCE,
    directives: ["form-action 'self'"],
    // The address is a secret. The form needs no origin: it has no cookie either.
    headers: { 'referrer-policy': 'no-referrer', ...headers },
  })
}

function purposeOf({ tool, app, reason }: NonNullable<UploadView['about']>): Markup {
  return html`${reason === undefined ? undefined : html`<p><bdi>${untrustedText(reason, MAX_TEXT)}</bdi></p>`}
<dl>
${app === undefined ? undefined : html`<div><dt>Asked by</dt> <dd>${untrustedName(app)} <span class="quiet">(the app chose this name itself)</span></dd></div>`}
${tool === undefined ? undefined : html`<div><dt>For</dt> <dd>${untrustedName(tool)}</dd></div>`}
</dl>`
}

function formOf({ maxBytes, mimeTypes }: NonNullable<UploadView['upload']>): Markup {
  const bounds = boundsWords({ types: mimeTypes, maxBytes })
  return html`<form method="post" enctype="multipart/form-data">
<label for="file">Choose a file</label>
<input id="file" name="file" type="file" required aria-describedby="bounds"${mimeTypes === undefined ? undefined : html` accept="${mimeTypes.join(', ')}"`}>
<p class="quiet" id="bounds">${untrustedText(bounds, MAX_TEXT)}</p>
<p class="quiet">The assistant that sent you here receives the file. Upload one only if you have just asked it for this.</p>
<button type="submit">Upload</button>
</form>`
}
