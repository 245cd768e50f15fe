/** The HTML around the content of each page. */
import { raw } from 'hono/html'
import { html, type Markup } from '../../pages/markup.ts'
import { untrustedName, untrustedText } from '../../pages/untrusted-text.ts'
import { STYLE } from './style.ts'

export interface Layout {
  readonly title: string
  /** Undefined on pages of an unknown server, such as error messages. */
  readonly serverName: string | undefined
  readonly body: Markup
  /** Further elements of the head. */
  readonly head?: Markup
}

export function layout({ title, serverName, body, head }: Layout): Markup {
  const name = serverName === undefined ? '' : ` – ${untrustedText(serverName, 60)}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${head}<title>${title}${name}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
${serverName === undefined ? undefined : html`<p class="site">${untrustedName(serverName)}</p>`}
${body}
</main>
</body>
</html>
`
}
