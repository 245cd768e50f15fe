/** Implements `ctx.connect`. Where no account fits, the person is asked to open a page of this server. */
import type { Call } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { untrustedText } from '../../../pages/untrusted-text.ts'
import type { AuthInfo } from '../../../protocol/auth-info.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import type { ConnectedAccount, ConnectOptions } from '../../../server/connection.ts'
import type { StandardSchema } from '../../../server/schema/standard-schema.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { UrlElicitationRequiredError } from '../../../server/url-elicitation-required-error.ts'
import { askAtPage, purposeOf, wakingSecret } from '../../asks/ask-at-page.ts'
import { formAsk, openUrl } from '../../asks/journal/elicitation.ts'
import { operationsOf, roundOf } from '../../asks/run-round.ts'
import { cleanLabel } from '../label.ts'
import type { Service } from '../service.ts'
import {
  CONNECTIONS,
  type Person,
  type PersonConnections,
  type PersonOf,
  type Used,
} from '../store.ts'
import { visitUrl } from '../visit-seal.ts'
import { createConnectedAccount } from './connected-account.ts'
import { failure } from './failure.ts'
import { noteUse } from './used-accounts.ts'

/** How long a person has at the page. */
const VISIT_MS = 30 * 60_000

/** In code points. */
const MAX_MESSAGE = 200

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
  const waitKey = `${key}-page`
  const page = await operationsOf(run).run('connect', key, async () => {
    const id = await store.ask({
      connection: service.name,
      client: auth.clientId,
      scopes: scopesOf(service, options),
      about: purposeOf(run, options.reason),
      webhook: await wakingSecret(run, waitKey),
      expiresAt: Date.now() + VISIT_MS,
    })
    return id === undefined ? null : { id, url: await visitUrl(call, person, id) }
  })
  if (page === null) throw failure('too-many', service)
  const { id, url } = page
  const message = untrustedText(
    options.reason ?? `This tool needs your account at ${service.title}.`,
    MAX_MESSAGE,
  )
  const next = `Give the person this address, and call the tool again with the same arguments once they have connected ${service.title} there.`
  const open = `${message} Open`
  if (!(call.run.canAsk && openUrl(message, url).canAnswer(call.client.capabilities))) {
    throw new UrlElicitationRequiredError([{ elicitationId: id, message: open, url }], next)
  }
  // The page stays open for the other calls that ask for the same.
  const action = await askAtPage(run, {
    ...{ key, waitKey, message, url, elicitationId: id, timeoutMs: VISIT_MS },
    again: 'The account is not connected yet. Finish at the address, then continue.',
    isDone: async () => (await store.visit(id))?.state !== 'open',
  })
  if (action === 'decline') throw failure('declined', service)
  // Clients cancel a request that they cannot show to a person, too, such as `claude -p`.
  if (action === 'cancel') {
    throw new ToolError([next, `${open} ${url}`].join('\n'), { reason: 'not-connected' })
  }
  const used = await use(connecting)
  if (used.kind === 'token') return used
  if (used.kind !== 'none') return other(connecting, used)
  const state = (await store.visit(id))?.state
  throw failure(state === 'open' || state === undefined ? 'late' : ENDED[state], service)
}

const ENDED = { declined: 'declined', failed: 'refused', done: 'not-connected' } as const
