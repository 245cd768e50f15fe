/** The documents of a running server: its Server Card, the AI Catalog of its host, and the proofs of domains. */
import { DOMAIN_PROOFS } from '../../../../src/protocol/domain-proofs.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { HttpClient, HttpReply } from '../../../doctor/src/doctor/http/http-client.ts'
import { mediaTypeOf } from '../../../doctor/src/doctor/mcp/rpc.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import { listIn } from '../../../text/src/json/members.ts'
import type { DirectoryInput, WellKnownAnswer } from './input.ts'

const CARD_TYPE = 'application/mcp-server-card+json'
const CATALOG_TYPE = 'application/ai-catalog+json'

export async function fetchDocuments(
  http: HttpClient,
  endpoint: URL,
): Promise<Pick<DirectoryInput, 'card' | 'catalog' | 'deadCardUrl' | 'wellKnown'>> {
  const get = (url: URL, headers: Readonly<Record<string, string>>) =>
    http.send({ method: 'GET', url, headers })
  const at = (path: string) => new URL(path, endpoint)
  const openai = await get(at(DOMAIN_PROOFS.openaiApps.path), { accept: 'text/plain' })
  const registry = await get(at(DOMAIN_PROOFS.mcpRegistry.path), {
    accept: 'text/plain',
    'user-agent': 'mcp-registry/1.0',
  })
  const catalogReply = await get(at('/.well-known/ai-catalog.json'), { accept: CATALOG_TYPE })
  const catalog = catalogIn(catalogReply)
  return {
    ...(await findCard(http, endpoint, catalog)),
    catalog,
    wellKnown: { openaiAppsChallenge: answerOf(openai), mcpRegistryAuth: answerOf(registry) },
  }
}

/** A failed connection proves nothing: the endpoint itself was reached. Neither does a limit, which others may not reach. */
function answerOf(reply: HttpReply): WellKnownAnswer | undefined {
  if (!reply.ok || reply.status === 429) return undefined
  const { status, headers, text } = reply
  const redirectedTo = status >= 300 && status < 400 ? headers.location : undefined
  return { status, contentType: mediaTypeOf(reply), body: text, redirectedTo }
}

function catalogIn(reply: HttpReply): unknown {
  if (!reply.ok || reply.status !== 200) return undefined
  // A page or a text is reported by its rule.
  return parseJson(reply.text) ?? reply.text.slice(0, 400)
}

interface FoundCard {
  readonly card?: unknown
  readonly deadCardUrl?: string
}

/** The reserved place, and this many that the catalogue names. */
const MAX_CARDS = 5

/**
 * The card at the reserved place, or the one that the catalogue names or contains for this endpoint. Of a catalogue with
 * several cards, another one describes another server.
 */
async function findCard(http: HttpClient, endpoint: URL, catalog: unknown): Promise<FoundCard> {
  const reserved = new URL(endpoint)
  reserved.pathname = `${endpoint.pathname.replace(/\/$/, '')}/server-card`
  reserved.search = ''
  const own = await fetchCard(http, reserved)
  const entries = listIn(catalog, 'entries')
    .filter(isJsonObject)
    .filter(({ type }) => type === CARD_TYPE)
  const urls = entries
    .flatMap(({ url }) => (typeof url === 'string' && URL.canParse(url) ? new URL(url) : []))
    .filter(({ host }) => host === endpoint.host)
    .slice(0, MAX_CARDS)
  const found: unknown[] = entries.slice(0, MAX_CARDS).flatMap(({ data }) => data ?? [])
  let deadCardUrl: string | undefined
  for (const url of urls) {
    const card = url.href === reserved.href ? own : await fetchCard(http, url)
    if (card === null) deadCardUrl ??= url.href
    else if (card !== undefined) found.push(card)
  }
  const named = entries.length === 1 ? found[0] : found.find((card) => names(card, endpoint))
  return { card: own ?? named, deadCardUrl }
}

const names = (card: unknown, endpoint: URL) =>
  listIn(card, 'remotes').some((remote) => isJsonObject(remote) && remote.url === endpoint.href)

/**
 * The card; a text for one that is no JSON. Null where there is none, such as at the page of a site. Undefined where
 * nothing can be said: clients follow redirects, and a failure may pass.
 */
async function fetchCard(http: HttpClient, url: URL): Promise<unknown> {
  const reply = await http.send({ method: 'GET', url, headers: { accept: CARD_TYPE } })
  if (!reply.ok || reply.status === 429 || reply.status >= 500) return undefined
  if (reply.status !== 200) return reply.status >= 300 && reply.status < 400 ? undefined : null
  const value = parseJson(reply.text)
  if (mediaTypeOf(reply) === CARD_TYPE) return value ?? reply.text.slice(0, 400)
  return isJsonObject(value) && ('$schema' in value || 'remotes' in value) ? value : null
}
