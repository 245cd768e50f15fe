/** Renders the page. All text of a definition is escaped, bounded, and has its own text direction. */
import { raw } from 'hono/html'
import type { PageLink } from '../../../feature/page-links.ts'
import { html, type Markup } from '../../../pages/markup.ts'
import { untrustedCode, untrustedName, untrustedText } from '../../../pages/untrusted-text.ts'
import type { ClientGuide } from './client-guides.ts'
import { item, prompt, scope, tool } from './list-items.ts'
import type { ListView, ServerView } from './server-view.ts'
import { STYLE } from './style.ts'

/** Of the whole page, in bytes. Lists are cut to fit. */
export const MAX_PAGE_BYTES = 30_000

/** What each list may have of the bytes that are left by then. */
const SHARES = {
  scopes: 0.3,
  prompts: 0.15,
  resourceTemplates: 0.1,
  resources: 0.2,
  tools: 1,
} as const

type SectionName = keyof typeof SHARES

const MAX_DESCRIPTION = 500
const MAX_INSTRUCTIONS = 1500
const MAX_ENDPOINTS = 20
/** In UTF-16 code units of the URI. A larger icon is not shown. */
const MAX_ICON_LENGTH = 4000

export function landingPage(view: ServerView, links: readonly PageLink[]): Markup {
  const hidden = whyHidden(view)
  let left = MAX_PAGE_BYTES - bytesOf(document(view, links, hidden)) - 200
  const sections: Partial<Record<SectionName, Markup | undefined>> = {}
  for (const [name, share] of Object.entries(SHARES) as [SectionName, number][]) {
    const section = sectionOf(name, view, Math.floor(left * share))
    sections[name] = section
    left -= section === undefined ? 0 : bytesOf(section)
  }
  const { scopes, tools, resources, resourceTemplates, prompts } = sections
  return document(
    view,
    links,
    html`${scopes}${hidden}${tools}${resources}${resourceTemplates}${prompts}`,
  )
}

const encoder = new TextEncoder()

const bytesOf = (markup: Markup): number => encoder.encode(markup.toString()).byteLength

function document(
  view: ServerView,
  links: readonly PageLink[],
  content: Markup | undefined,
): Markup {
  const name = view.title ?? view.name
  const offer = offerOf(view, content)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${untrustedText(name, 60)} – MCP server</title>
${links.map(({ rel, href, type }) => html`<link rel="${rel}" href="${href}" type="${type}">\n`)}<style>${raw(STYLE)}</style>
</head>
<body>
<header><div>${iconOf(view)}<div><h1>${untrustedName(name)}</h1>
${view.description === undefined ? undefined : html`<p class="lead"><bdi>${untrustedText(view.description, MAX_DESCRIPTION)}</bdi></p>`}
<p class="quiet">${ownerOf(view)}MCP server ${untrustedCode(view.name)} ${untrustedText(view.version, 40)}</p></div></div></header>
<main class="${offer === undefined ? 'alone' : 'beside'}">
${connectSection(view)}
${offer}
</main>
<footer><p>Programs get this page as JSON with <span class="code">Accept: application/json</span>.</p></footer>
</body>
</html>
`
}

/** Only an icon within the definition is shown, because the page loads nothing. Without one: the first letter. */
function iconOf({ icons = [], title, name }: ServerView): Markup {
  const icon = icons.find(
    ({ src }) =>
      src.length <= MAX_ICON_LENGTH && /^data:image\/(?:png|jpeg|webp|gif|svg\+xml)[;,]/i.test(src),
  )
  if (icon !== undefined) return html`<img src="${icon.src}" alt="" width="64" height="64">`
  const [letter = ''] = /[\p{L}\p{N}]/u.exec(untrustedText(title ?? name, 60)) ?? []
  return html`<span class="letter" aria-hidden="true">${letter.toUpperCase()}</span>`
}

/** The owner: a link to the site of the server. */
function ownerOf({ websiteUrl }: ServerView): Markup | undefined {
  if (websiteUrl === undefined || !/^https?:\/\//i.test(websiteUrl) || !URL.canParse(websiteUrl)) {
    return undefined
  }
  const { href, host } = new URL(websiteUrl)
  if (href.length > 500) return undefined
  return html`By <a href="${href}" rel="noreferrer">${untrustedCode(host)}</a> · `
}

function connectSection({
  endpoints,
  queryParameters,
  clients,
  authorization,
}: ServerView): Markup {
  const [first, ...others] = endpoints.slice(0, MAX_ENDPOINTS)
  const names = endpoints.flatMap(({ parameters }) => parameters)
  return html`<section class="connect" aria-labelledby="connect">
<h2 id="connect">Connect</h2>
<p>Add this URL to an MCP client:</p>
<pre>${first?.url}</pre>
${names.length === 0 ? undefined : html`<p>Replace ${[...new Set(names)].map((name) => html`${untrustedCode(`{${name}}`)} `)}with your own.</p>`}
${others.length === 0 ? undefined : html`<p>Other URLs of this server:</p><ul>${others.map(({ url }) => html`<li>${untrustedCode(url)}</li>`)}</ul>`}
${queryParameters.length === 0 ? undefined : html`<p>The URL may have the parameters ${queryParameters.map((name) => html`${untrustedCode(name)} `)}</p>`}
${authorization.required ? html`<p>You sign in when your client connects.</p>` : undefined}
<div class="card">${clients.map(guide)}</div>
${authorization.accountUrl === undefined ? undefined : html`<p><a href="${authorization.accountUrl}">Your connected apps</a></p>`}
</section>`
}

function guide({ client, steps, command, link }: ClientGuide): Markup {
  return html`<details name="client"><summary>${client}</summary>
${link === undefined ? undefined : html`<p><a class="button" href="${link}">Add to ${client}</a></p>`}
${steps === undefined ? undefined : html`<p>${untrustedText(steps, 300)}</p>`}
${command === undefined ? undefined : html`<p>In a terminal:</p><pre>${command}</pre>`}
</details>
`
}

/** The column beside the connection; absent where the page shows nothing of what the server offers. */
function offerOf(view: ServerView, content: Markup | undefined): Markup | undefined {
  const instructions = instructionsOf(view)
  if (instructions === undefined && (content === undefined || content.toString() === '')) return
  return html`<div class="offer">${instructions}${content}</div>`
}

function instructionsOf({ instructions }: ServerView): Markup | undefined {
  if (instructions === undefined) return undefined
  return html`<section aria-labelledby="instructions"><h2 id="instructions">Instructions for the model</h2>
<p class="card"><bdi>${untrustedText(instructions, MAX_INSTRUCTIONS)}</bdi></p></section>`
}

const WHY_HIDDEN = {
  'sign-in': 'What this server offers is shown to people who have signed in and connected an app.',
  private: undefined,
  parameters: 'What this server offers depends on its URL.',
  unavailable: 'What this server offers cannot be shown at the moment.',
} as const

function whyHidden({ hidden, authorization: { accountUrl } }: ServerView): Markup | undefined {
  const text = hidden && WHY_HIDDEN[hidden]
  if (text === undefined) return undefined
  const link =
    hidden === 'sign-in' && accountUrl !== undefined
      ? html`</p><p><a class="button" href="${accountUrl}">Sign in</a>`
      : undefined
  return html`<div class="card why"><p>${text}${link}</p></div>`
}

const TITLES = {
  scopes: 'Permissions',
  tools: 'Tools',
  resources: 'Resources',
  resourceTemplates: 'Resource templates',
  prompts: 'Prompts',
} as const

function sectionOf(
  name: SectionName,
  { authorization: { scopes }, lists }: ServerView,
  budget: number,
): Markup | undefined {
  if (name === 'scopes')
    return section(name, { total: scopes.length, items: scopes }, scope, budget)
  if (name === 'tools') return section(name, lists?.tools, tool, budget)
  if (name === 'prompts') return section(name, lists?.prompts, prompt, budget)
  return section(name, lists?.[name], item, budget)
}

/** The entries that fit into the budget, and how many more there are. */
function section<Item>(
  name: SectionName,
  list: ListView<Item>,
  render: (entry: Item) => Markup,
  budget: number,
): Markup | undefined {
  if (list === undefined || list.total === 0) return undefined
  const entries: Markup[] = []
  // The heading and the last sentence.
  let left = budget - 250
  for (const entry of list.items) {
    const markup = render(entry)
    left -= bytesOf(markup)
    if (left < 0) break
    entries.push(markup)
  }
  const more = list.total - entries.length
  return html`<section aria-labelledby="${name}"><h2 id="${name}">${TITLES[name]} (${`${list.total}`})</h2>
${entries.length === 0 ? undefined : html`<ul>${entries}</ul>`}
${more === 0 ? undefined : html`<p class="quiet">${`${more}`} more are not shown here. Clients receive all of them.</p>`}
</section>`
}
