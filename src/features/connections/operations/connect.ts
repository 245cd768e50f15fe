/**
 * Implements `ctx.connect`. Where no account fits, the person is asked to open a page of this server. A task and a call of
 * a session are suspended until the page is done; any other call waits for a while and asks again.
 */
import type { Call } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { untrustedText } from '../../../pages/untrusted-text.ts'
import { delay } from '../../../platform/deadline.ts'
import type { AuthInfo } from '../../../protocol/auth-info.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import type { ConnectedAccount, ConnectOptions } from '../../../server/connection.ts'
import type { StandardSchema } from '../../../server/schema/standard-schema.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { UrlElicitationRequiredError } from '../../../server/url-elicitation-required-error.ts'
import { formAsk, openUrl } from '../../asks/journal/elicitation.ts'
import { checkedWait } from '../../asks/journal/event.ts'
import { operationsOf, roundOf } from '../../asks/run-round.ts'
import { cleanLabel } from '../label.ts'
import type { Service } from '../service.ts'
import {
  CONNECTIONS,
  type Person,
  type PersonConnections,
  type PersonOf,
  type Used,
  type VisitPurpose,
} from '../store.ts'
import { visitUrl } from '../visit-seal.ts'
import { createConnectedAccount } from './connected-account.ts'
import { failure } from './failure.ts'
import { noteUse } from './used-accounts.ts'

/** How long a person has at the page. */
const VISIT_MS = 30 * 60_000

/** How long a call that cannot be suspended waits for the page before it asks again. */
const WAIT_MS = 25_000
const POLL_MS = 1_000

/** How often such a call asks. */
const MAX_ROUNDS = 5

/** One `ctx.connect` of a run. */
export interface Connecting {
  readonly run: HandlerRun
  readonly service: Service
  /** Whether the person signs in at the service. */
  readonly isSignIn: boolean
  readonly store: PersonConnections
  readonly person: Person
  readonly auth: AuthInfo
  /** The key of its ask. */
  readonly key: string
  readonly options: ConnectOptions
}

/** What the app knows of a connection and of the person of a caller. */
export interface Asked extends Pick<Connecting, 'service' | 'isSignIn'> {
  readonly personOf: PersonOf
}

type Token = Extract<Used, { kind: 'token' }>

/** @throws {ToolError} with the reason of a `ConnectionErrorReason` */
export async function connect(
  run: HandlerRun,
  { service, isSignIn, personOf }: Asked,
  key: string,
  options: ConnectOptions,
): Promise<ConnectedAccount> {
  const { call } = run
  const { auth } = call.request
  if (auth === undefined || auth.clientId === '') throw failure('no-person', service)
  const person = personOf(call, auth)
  const store = storeOf(call, person)
  const account = options.account ?? accountArgument(run, service)
  const connecting = {
    run,
    service,
    isSignIn,
    store,
    person,
    auth,
    key,
    options: { ...options, account },
  }
  const used = await use(connecting)
  const token =
    used.kind === 'token'
      ? used
      : ((await signInToken(connecting, used)) ?? (await other(connecting, used)))
  noteUse(call, service, token.account)
  return createConnectedAccount(service, token, async (refused) => {
    const again = await use(connecting, token.account.id, refused)
    if (again.kind === 'token') return again
    const own = await signInToken(connecting, again)
    if (own !== undefined) return own
    throw failure(again.kind === 'unavailable' ? 'unavailable' : 'not-connected', service)
  })
}

const storeOf = ({ services }: Call, person: Person): PersonConnections => {
  const store = services.of(CONNECTIONS)
  if (store === undefined) throw new TypeError('ctx.connect needs the binding MCP_OBJECTS')
  return store.of(person)
}

function use(
  { run, service, store, auth, options }: Connecting,
  account: string | undefined = options.account,
  refused?: string,
): Promise<Used> {
  const tool = toolOf(run)
  return store.use({
    connection: service.name,
    client: auth.clientId,
    account,
    scopes: scopesOf(service, options),
    mustChoose: tool?.annotations?.readOnlyHint !== true,
    refused,
  })
}

const scopesOf = ({ scopes }: Service, { scopes: further = [] }: ConnectOptions) => [
  ...new Set([...scopes, ...further]),
]

/** The argument `account` of a tool with this connection, where the author has no argument of this name. */
function accountArgument({ call, place }: HandlerRun, service: Service): string | undefined {
  const { name, arguments: args } = call.request.params ?? {}
  const tool = typeof name === 'string' ? place.definition?.tools.get(name) : undefined
  const takes = tool?.takesAccount === true && tool.connection === service.name
  const account = isJsonObject(args) ? args.account : undefined
  return takes && typeof account === 'string' && account !== '' ? account : undefined
}

const toolOf = ({ call, place }: HandlerRun) => {
  const name = call.request.params?.name
  return typeof name === 'string' ? place.definition?.tools.get(name)?.info : undefined
}

/** The account at which the person has signed in to this server, where it fits and no other one does. */
async function signInToken(
  { run, service, isSignIn, auth, options }: Connecting,
  { kind }: Exclude<Used, Token>,
): Promise<Token | undefined> {
  const { grant } = run.call.request
  const find = isSignIn ? run.call.deployment.findUpstreamToken : undefined
  if (find === undefined || kind === 'unavailable' || kind === 'choose') return undefined
  const { claims, upstream } = (auth.props ?? {}) as {
    readonly claims?: { readonly [name: string]: unknown }
    readonly upstream?: { readonly scope?: string }
  }
  const names = [claims?.email, claims?.name, claims?.login, auth.subject]
  const label = cleanLabel(String(names.find((name) => typeof name === 'string' && name !== '')))
  const isMeant = options.account === undefined || [auth.subject, label].includes(options.account)
  const granted = upstream?.scope?.split(/[ ,]+/)
  const fits = scopesOf(service, options).every((scope) => granted?.includes(scope) ?? true)
  if (!isMeant || !fits) return undefined
  const found = await find({ auth, grant }, run.call.deployment.env)
  if (!found.ok) return undefined
  const account = { id: auth.subject, label }
  return { kind: 'token', account, accessToken: found.accessToken, expiresAt: undefined }
}

/** What follows when no token was found at once. */
async function other(connecting: Connecting, used: Exclude<Used, Token>): Promise<Token> {
  const { service } = connecting
  switch (used.kind) {
    case 'none':
      return askPerson(connecting)
    case 'choose':
      return askWhich(connecting, used.labels)
    case 'unavailable':
      throw failure('unavailable', service)
    default:
      throw failure('unknown-account', service, used)
  }
}

/** The form with one choice. Written out: the validator of JSON Schema is larger than all that asks here. */
function oneOf(labels: readonly string[]): StandardSchema<{ readonly account: string }> {
  const properties = { account: { type: 'string', title: 'Account', enum: labels } }
  const json = () => ({ type: 'object', properties, required: ['account'] })
  return {
    '~standard': {
      ...{ version: 1, vendor: 'edgeway-connections', jsonSchema: { input: json, output: json } },
      validate: (value) => {
        const { account } = value as { readonly account?: unknown }
        const isLabel = typeof account === 'string' && labels.includes(account)
        return isLabel ? { value: { account } } : { issues: [{ message: 'choose an account' }] }
      },
    },
  }
}

/** Asks which of several accounts is meant, or leaves it to the model. */
async function askWhich(connecting: Connecting, labels: readonly string[]): Promise<Token> {
  const { run, service, key } = connecting
  const { call } = run
  const question = formAsk({
    message: `Which ${service.title} account?`,
    schema: oneOf(labels),
    throughModel: false,
  })
  const isAskable = call.run.canAsk && question.canAnswer(call.client.capabilities)
  if (
    !isAskable ||
    new Set(labels).size < labels.length ||
    !isPresent(connecting, `${key}-which`)
  ) {
    throw failure('unknown-account', service, { kind: 'choose', labels })
  }
  const answer = await roundOf(run).ask(`${key}-which`, question)
  if (answer.action !== 'accept') throw failure('declined', service)
  const { account } = answer.content as { readonly account: string }
  const used = await use(connecting, account)
  if (used.kind === 'token') return used
  throw failure(used.kind === 'unavailable' ? 'unavailable' : 'not-connected', service)
}

/** Whether a person is there to ask: not in a task that goes on by itself, unless it has asked before. */
function isPresent({ run }: Connecting, key: string): boolean {
  const { task, continues } = run.call.run
  return task === undefined || !continues || roundOf(run).isAnswered(key)
}

async function askPerson(connecting: Connecting): Promise<Token> {
  const { run, service, store, person, auth, key, options } = connecting
  const { call } = run
  if (!isPresent(connecting, key)) throw failure('not-connected', service)
  const asks = roundOf(run)
  const steps = operationsOf(run)
  const isWaiting = call.run.canWait && call.run.webhookUrl !== undefined
  const waitKey = `${key}-page`
  const page = await steps.run('connect', key, async () => {
    const webhook = isWaiting ? await asks.webhook(waitKey) : undefined
    const expiresAt = Date.now() + VISIT_MS
    const id = await store.ask({
      connection: service.name,
      client: auth.clientId,
      scopes: scopesOf(service, options),
      about: purposeOf(run, options.reason),
      webhook: webhook?.slice(webhook.lastIndexOf('/') + 1),
      expiresAt,
    })
    return id === undefined ? null : { id, url: await visitUrl(call, person, id), expiresAt }
  })
  if (page === null) throw failure('too-many', service)
  const message = untrustedText(
    options.reason ?? `This tool needs your account at ${service.title}.`,
    MAX_REASON,
  )
  const question = openUrl(message, page.url, page.id)
  if (!(call.run.canAsk && question.canAnswer(call.client.capabilities))) {
    throw new UrlElicitationRequiredError(
      [{ elicitationId: page.id, message: `${message} Open`, url: page.url }],
      `Give the person this address, and call the tool again with the same arguments once they have connected ${service.title} there.`,
    )
  }
  let action = (await asks.ask(key, question)).action
  if (isWaiting && action === 'accept') {
    const { wait, read } = checkedWait({ timeoutMs: VISIT_MS }, undefined)
    await asks.event(waitKey, wait, read).catch(ignoreTimeout)
  }
  for (let round = 2; !isWaiting && action === 'accept'; round++) {
    const again = `${key}-${round}`
    // A round that was answered has waited already.
    if (!asks.isAnswered(again) && !(await staysOpen(run, store, page.id))) break
    if (round > MAX_ROUNDS) break
    const text = `${message}\n\nThe account is not connected yet. Finish at the address, then continue.`
    action = (await asks.ask(again, openUrl(text, page.url, page.id))).action
  }
  if (action !== 'accept') {
    await store.settle(page.id, 'declined')
    throw failure('declined', service)
  }
  const used = await use(connecting)
  if (used.kind === 'token') return used
  if (used.kind === 'choose') return askWhich(connecting, used.labels)
  if (used.kind === 'unavailable') throw failure('unavailable', service)
  const state = (await store.visit(page.id))?.state
  throw failure(state === 'open' || state === undefined ? 'late' : ENDED[state], service)
}

const ENDED = { declined: 'declined', failed: 'refused', done: 'not-connected' } as const

/** Waits for the end of a page. True when it is still open. */
async function staysOpen(run: HandlerRun, store: PersonConnections, id: string): Promise<boolean> {
  const { signal } = run.call.run.cancellation
  const end = Date.now() + WAIT_MS
  for (;;) {
    const visit = await store.visit(id)
    if (visit?.state !== 'open') return false
    if (signal.aborted || run.isClosed || Date.now() + POLL_MS > end) return true
    await delay(POLL_MS)
  }
}

/** In code points. */
const MAX_NAME = 60
const MAX_REASON = 200

function purposeOf(run: HandlerRun, reason: string | undefined): VisitPurpose {
  const { info } = run.call.client
  const tool = toolOf(run)
  const cut = (text: string | undefined, most: number) => text && untrustedText(text, most)
  return {
    app: cut(info?.title ?? info?.name, MAX_NAME),
    tool: cut(tool?.title ?? tool?.annotations?.title ?? tool?.name, MAX_NAME),
    reason: cut(reason, MAX_REASON),
  }
}

function ignoreTimeout(error: unknown): void {
  if (!(error instanceof ToolError)) throw error
}
