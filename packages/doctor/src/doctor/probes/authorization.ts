/** The way from a 401 to the metadata of the authorization server. */

import { isJsonObject } from '../../../../../src/protocol/json.ts'
import {
  resourceLocations,
  serverLocations,
} from '../../../../../src/protocol/metadata-locations.ts'
import { parseChallenge } from '../../../../client/src/challenge.ts'
import { parseJson } from '../../../../text/src/json/json-text.ts'
import { listIn, type Members } from '../../../../text/src/json/members.ts'
import { INSPECTOR_ORIGIN } from '../clients.ts'
import { isBotChallenge } from '../http/bot-challenge.ts'
import { getJson, type HttpClient, type HttpReply, type HttpResponse } from '../http/http-client.ts'
import { isHtml } from '../http/is-html.ts'
import { endpointIn } from '../oauth/identity.ts'

export interface MetadataDocument {
  readonly url: URL
  readonly reply: HttpReply
  /** The object in a successful response. */
  readonly value?: Members
}

export interface DiscoveryObservation {
  readonly challenge: HttpResponse
  /** The parameters of its Bearer challenge; undefined without one. */
  readonly parameters: Readonly<Record<string, string>> | undefined
  /** Where clients look for the metadata of the resource, in their order; the first with a value counts. */
  readonly resourceDocuments: readonly MetadataDocument[]
  readonly resource: MetadataDocument | undefined
  /** The issuer that the resource names, or its own origin. */
  readonly issuer: URL
  /** As the resource spells it; undefined if it names none. */
  readonly issuerText: string | undefined
  readonly serverDocuments: readonly MetadataDocument[]
  readonly server: MetadataDocument | undefined
  /** Endpoints of the authorization server at other origins that cannot be connected to. */
  readonly unreachable: readonly UnreachableEndpoint[]
  /** The documents in use, as a browser gets them. */
  readonly inBrowser: readonly HttpReply[]
}

export interface UnreachableEndpoint {
  readonly member: string
  readonly url: URL
  readonly detail: string
}

const MAX_REDIRECTS = 3

export async function probeDiscovery(
  http: HttpClient,
  endpoint: URL,
  challenge: HttpResponse,
): Promise<DiscoveryObservation> {
  const parameters = parseChallenge(challenge.headers['www-authenticate'] ?? '')
  const resourceDocuments = await fetchDocuments(
    http,
    resourceLocations(endpoint, parameters?.resource_metadata),
  )
  const resource = resourceDocuments.find(({ value }) => value !== undefined)
  const issuerText = issuerIn(resource?.value)
  const issuer = new URL(issuerText ?? '/', endpoint)
  const serverDocuments = await fetchDocuments(http, serverLocations(issuer))
  const server = serverDocuments.find(({ value }) => value !== undefined)
  const inUse = [resource, server].flatMap((document) => document?.url ?? [])
  return {
    challenge,
    parameters,
    resourceDocuments,
    resource,
    issuer,
    issuerText,
    serverDocuments,
    server,
    unreachable: server === undefined ? [] : await findUnreachable(http, server),
    inBrowser: await Promise.all(inUse.map((url) => fetchInBrowser(http, url))),
  }
}

/** Whether a client finds anything to begin an authorization with, valid or not. */
export function offersAuthorization(observed: DiscoveryObservation): boolean {
  const { parameters, resourceDocuments, serverDocuments } = observed
  if (URL.canParse(parameters?.resource_metadata ?? '')) return true
  return [...resourceDocuments, ...serverDocuments].some(({ reply }) => !isAbsent(reply))
}

/** A refusal, or the page of a site that answers every path. */
function isAbsent(reply: HttpReply): boolean {
  if (!reply.ok || isBotChallenge(reply)) return false
  return (reply.status >= 300 && reply.status < 500) || isHtml(reply.text)
}

async function fetchDocuments(http: HttpClient, urls: readonly URL[]) {
  const documents: MetadataDocument[] = []
  for (const url of urls) documents.push(await fetchDocument(http, url))
  return documents
}

async function fetchDocument(http: HttpClient, url: URL): Promise<MetadataDocument> {
  let target = url
  for (let redirects = 0; ; redirects++) {
    const reply = await getJson(http, target)
    const location = reply.ok && reply.status >= 300 ? reply.headers.location : undefined
    if (
      location !== undefined &&
      URL.canParse(location, target.href) &&
      redirects < MAX_REDIRECTS
    ) {
      target = new URL(location, target)
      continue
    }
    const value = reply.ok && reply.status === 200 ? parseJson(reply.text) : undefined
    return isJsonObject(value) ? { url, reply, value } : { url, reply }
  }
}

/** Endpoints at the origin of the metadata are reachable like the metadata. */
async function findUnreachable(http: HttpClient, { url: location, value = {} }: MetadataDocument) {
  const unreachable: UnreachableEndpoint[] = []
  for (const member of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
    const url = endpointIn(value, member)
    if (url === undefined || url.origin === location.origin) continue
    const reply = await http.send({ method: 'GET', url }, () => true)
    if (!reply.ok) unreachable.push({ member, url, detail: reply.failure.detail })
  }
  return unreachable
}

function fetchInBrowser(http: HttpClient, url: URL) {
  return http.send({ method: 'GET', url, headers: { origin: INSPECTOR_ORIGIN } })
}

function issuerIn(metadata: Members | undefined): string | undefined {
  const [first] = listIn(metadata, 'authorization_servers')
  // A URL of another scheme, such as `data:`, has no well-known paths.
  const isLocation = typeof first === 'string' && /^https?:$/.test(URL.parse(first)?.protocol ?? '')
  return isLocation ? first : undefined
}
