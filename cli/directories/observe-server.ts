/** What directories see of a running server. */
import {
  type ConnectOptions,
  connectServer,
  type ServerConnection,
} from '../definition/connect-server.ts'
import { inNewestEra } from '../definition/read-lists.ts'
import { failureOf } from '../definition/read-server.ts'
import { CLIENTS } from '../doctor/clients.ts'
import { discoveryFacts } from '../doctor/facts.ts'
import type { RpcReply } from '../doctor/mcp/rpc.ts'
import { offersAuthorization } from '../doctor/probes/authorization.ts'
import { callReadOnlyTool, readPages } from '../doctor/probes/lists.ts'
import { probeViews, type ViewObservation } from '../doctor/probes/views.ts'
import { textCharactersOf } from '../doctor/steps/call.ts'
import { isObject, listIn } from '../doctor/text.ts'
import { walk } from '../doctor/walk.ts'
import type {
  AuthorizationFacts,
  ClientFailure,
  DirectoryInput,
  ResultSize,
  ViewFacts,
} from './input.ts'
import { fetchDocuments } from './observe-documents.ts'

export interface ObservedServer {
  /** False when no MCP server answers at the URL. */
  readonly isReached: boolean
  readonly input: DirectoryInput
  /** What was not examined, and which option would. */
  readonly notes: readonly string[]
}

/** @throws {CutShortError} when it takes longer than the budget */
export async function observeServer(
  url: string,
  options: ConnectOptions = {},
): Promise<ObservedServer> {
  const { onProgress = () => undefined } = options
  const connection = await connectServer(url, options)
  const { http, endpoint, isReached, lists } = connection
  const base = { url, isDevelopment: true }
  if (!isReached) {
    return { isReached, input: { ...base, unreached: failureOf(connection) ?? '' }, notes: [] }
  }
  onProgress('Reading the documents of the server')
  const documents = await fetchDocuments(http, endpoint.url)
  const authorization = authorizationOf(connection)
  const unread = lists === undefined ? 'The server asks for a token' : lists.failure
  if (lists === undefined || unread !== undefined) {
    const needsToken = lists === undefined
    const input = { ...base, ...documents, authorization, needsToken, unread: unread ?? '' }
    return { isReached, input, notes: notesOf(connection) }
  }
  onProgress('Listing the tools as another client')
  const { surface, malformed, initialized } = lists
  const input = {
    ...base,
    ...documents,
    authorization,
    surface,
    malformed,
    initialized,
    ...(await observeUse(connection)),
    ...(await listAsOther(connection)),
  }
  return { isReached, input, notes: notesOf(connection) }
}

function notesOf({ lists, observed }: ServerConnection): string[] {
  const notes: string[] = []
  if (lists === undefined) {
    notes.push(
      'The tools were not examined, because the server asks for a token. Pass --login to sign in with a browser, or --token.',
    )
  }
  const withheld = observed.signIn?.withheld
  if (withheld !== undefined) notes.push(`No code and no token was sent. ${withheld}.`)
  return notes
}

/** The views of the tools, and the call of a read-only tool without required arguments. */
async function observeUse({
  endpoint,
  lists,
}: ServerConnection): Promise<Pick<DirectoryInput, 'views' | 'results'>> {
  const tools = lists?.surface.tools ?? []
  const seen = await inNewestEra(endpoint, async (send) => ({
    views: await probeViews(send, tools),
    call: await callReadOnlyTool(send, tools),
  }))
  if (typeof seen === 'string') return {}
  const { views, call } = seen
  return {
    views: views.flatMap(viewFacts),
    results: call === undefined ? [] : resultSizes(call.tool, call.reply),
  }
}

function viewFacts({ uri, reply }: ViewObservation): ViewFacts[] {
  if (typeof uri !== 'string' || reply?.kind !== 'result') return []
  const [contents] = listIn(reply.result, 'contents')
  return [{ uri, meta: isObject(contents) ? contents._meta : undefined }]
}

function resultSizes(tool: string, reply: RpcReply): ResultSize[] {
  return reply.kind === 'result' ? [{ tool, characters: textCharactersOf(reply.result) }] : []
}

/** A name that servers are known to look for. */
const OTHER_CLIENT = 'claude-ai'

/** The list of tools may change by itself, so a difference counts only if the first client sees what it saw before. */
async function listAsOther({
  endpoint,
  lists,
}: ServerConnection): Promise<Pick<DirectoryInput, 'toolsOfOtherClient'>> {
  const own = lists?.surface.tools.map(({ name }) => name) ?? []
  const other = await namesOfTools({ ...endpoint, clientName: OTHER_CLIENT })
  if (other === undefined || isSame(own, other)) return {}
  const again = await namesOfTools(endpoint)
  return again !== undefined && isSame(own, again) ? { toolsOfOtherClient: other } : {}
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join('\n') === other.toSorted().join('\n')

async function namesOfTools(endpoint: ServerConnection['endpoint']) {
  const names = await inNewestEra(endpoint, async (send) => {
    const { pages } = await readPages(send, 'tools/list')
    const isWhole = pages.every(({ kind }) => kind === 'result')
    const tools = pages.flatMap((page) =>
      page.kind === 'result' ? listIn(page.result, 'tools') : [],
    )
    return isWhole ? tools.flatMap(nameOf) : undefined
  })
  return typeof names === 'string' ? undefined : names
}

const nameOf = (tool: unknown) =>
  isObject(tool) && typeof tool.name === 'string' && isObject(tool.inputSchema) ? tool.name : []

function authorizationOf({ observed }: ServerConnection): AuthorizationFacts {
  const { discovery, pasted } = observed
  const failures = (['Claude (web)', 'ChatGPT'] as const).flatMap((name): ClientFailure[] => {
    const client = CLIENTS.find((one) => one.name === name)
    const report = client && walk(observed, client)
    if (report === undefined || report.connects) return []
    return [
      { client: name, causes: report.findings.filter(({ severity }) => severity === 'error') },
    ]
  })
  if (discovery === undefined) return { kind: 'none', failures }
  return {
    kind: offersAuthorization(discovery) ? 'oauth' : 'pasted',
    facts: discoveryFacts(discovery, pasted),
    documents: {
      resource: discovery.resource !== undefined,
      server: discovery.server !== undefined,
    },
    failures,
  }
}
