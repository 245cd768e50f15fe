/** What directories see of a running server. */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import {
  type ConnectOptions,
  connectServer,
  type ServerConnection,
} from '../../../doctor/src/definition/connect-server.ts'
import { inNewestEra } from '../../../doctor/src/definition/read-lists.ts'
import { failureOf } from '../../../doctor/src/definition/read-server.ts'
import { CLIENTS } from '../../../doctor/src/doctor/clients.ts'
import { discoveryFacts } from '../../../doctor/src/doctor/facts.ts'
import { offersAuthorization } from '../../../doctor/src/doctor/probes/authorization.ts'
import { type CallObservation, callReadOnlyTools } from '../../../doctor/src/doctor/probes/lists.ts'
import { probeViews, type ViewObservation } from '../../../doctor/src/doctor/probes/views.ts'
import {
  callFaults,
  textCharactersOf,
  textOfResult,
} from '../../../doctor/src/doctor/steps/call.ts'
import { walk } from '../../../doctor/src/doctor/walk.ts'
import { listIn } from '../../../text/src/json/members.ts'
import type {
  AuthorizationFacts,
  CallFacts,
  ClientFailure,
  DirectoryInput,
  ViewFacts,
} from './input.ts'
import { fetchDocuments } from './observe-documents.ts'
import { observeAsOthers } from './observe-others.ts'

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
  onProgress('Calling tools, and listing them as other clients')
  const { surface, malformed, initialized } = lists
  const input = {
    ...base,
    ...documents,
    authorization,
    surface,
    malformed,
    initialized,
    ...(await observeUse(connection)),
    otherClients: await observeAsOthers(connection),
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

/** Read-only tools without required arguments are called, up to this number. */
const MAX_CALLS = 5

async function observeUse({
  endpoint,
  lists,
  observed,
}: ServerConnection): Promise<Pick<DirectoryInput, 'views' | 'results'>> {
  const tools = lists?.surface.tools ?? []
  const seen = await inNewestEra(endpoint, async (send, { isModern }) => ({
    isModern,
    views: await probeViews(send, tools),
    calls: await callReadOnlyTools(send, tools, MAX_CALLS),
  }))
  if (typeof seen === 'string') return {}
  const { views, calls, isModern } = seen
  return {
    views: views.flatMap(viewFacts),
    results: calls.map((call) => callFacts(call, observed, isModern)),
  }
}

function viewFacts({ uri, reply }: ViewObservation): ViewFacts[] {
  if (typeof uri !== 'string' || reply?.kind !== 'result') return []
  const [contents] = listIn(reply.result, 'contents')
  return [{ uri, meta: isJsonObject(contents) ? contents._meta : undefined }]
}

/** The faults of a call that are not those of the token or of its size. */
const FAILURES: readonly string[] = ['call-failed', 'call-result-invalid']

function callFacts(
  call: CallObservation,
  observed: ServerConnection['observed'],
  isModern: boolean,
): CallFacts {
  const { tool, reply } = call
  const result = reply.kind === 'result' ? reply.result : undefined
  const fault = callFaults(call, observed, isModern).find(({ code }) => FAILURES.includes(code))
  const isError = isJsonObject(result) && result.isError === true
  return {
    tool,
    characters: textCharactersOf(result),
    ...(fault !== undefined && { failure: fault.message }),
    ...(isError && { errorText: textOfResult(result) }),
  }
}

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
