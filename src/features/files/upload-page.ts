/** The page at which a person uploads a file: one form, without scripts. */
import { raw } from 'hono/html'
import { COLORS } from '../../pages/colors.ts'
import { htmlResponse } from '../../pages/html-response.ts'
import { html, type Markup } from '../../pages/markup.ts'
import { untrustedName, untrustedText } from '../../pages/untrusted-text.ts'
import type { UploadView } from './transport/serve-upload.ts'

/** The digest of {@link UPLOAD_STYLE}. A test compares them. */
export const UPLOAD_STYLE_SOURCE = "'sha256-bmE+Li85ZR51oPM64Kkv15rWoq5H/BO0fO9n2BYBhmk='"

export const UPLOAD_STYLE = `${COLORS}
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
.bad { color: var(--bad-text); }
input { display: block; width: 100%; margin: 0.5rem 0 1rem; font: inherit; }
button { padding: 0.625rem 1.25rem; border: 0; border-radius: 0.5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
`

/** Longest text of a refusal, in code points. It may name the accepted types. */
const MAX_TEXT = 2000

export function uploadPage(
  { status, title, message, upload, headers }: UploadView,
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
<p class="quiet">${untrustedName(serverName)}</p>
<h1>${title}</h1>
${message === '' ? undefined : html`<p class="${isRefusal ? 'bad' : 'quiet'}" role="${isRefusal ? 'alert' : 'status'}">${untrustedText(message, MAX_TEXT)}</p>`}
${upload === undefined ? undefined : formOf(upload)}
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

function formOf({ maxBytes, mimeTypes }: NonNullable<UploadView['upload']>): Markup {
  const types = mimeTypes?.join(', ')
  return html`<form method="post" enctype="multipart/form-data">
<label for="file">File</label>
<input id="file" name="file" type="file" required${types === undefined ? undefined : html` accept="${types}"`}>
<p class="quiet">At most ${sizeText(maxBytes)}${types === undefined ? '' : `, of type ${types}`}. The assistant that sent you here receives the file. Upload one only if you have just asked it for this.</p>
<button type="submit">Upload</button>
</form>`
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${Math.floor(bytes / 102.4) / 10} KiB`
  return `${Math.floor(bytes / 1024 / 102.4) / 10} MiB`
}
