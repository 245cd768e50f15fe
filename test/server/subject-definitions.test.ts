/** Lists that change for one subject: which listeners receive the change, and when the definition of the subject is built anew. */
// features: changes

import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountObject } from '../../durable-objects/account/account-object.ts'
import { accountName } from '../../durable-objects/account/accounts.ts'
import { verifier } from '../../src/auth/index.ts'
import type { Notify } from '../../src/index.ts'
import { AuthClient, type Tokens } from '../auth/server/support/client.ts'
import { answerCalls, failCalls } from '../auth/server/support/scoped-objects.ts'
import { accept } from '../support/accept.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { HttpSession } from '../support/http-session.ts'
import { initializeHttpSse } from '../support/http-sse-client.ts'
import { inPart, objectsOfKind } from '../support/objects.ts'
import { readMessage, SseReader, type WireMessage } from '../support/sse-reader.ts'
import {
  additions,
  ORIGIN,
  openSubjectApp,
  PASSPHRASES,
  type Subject,
  sendTo,
  subjectApp,
  subjectEvents,
} from '../support/subject-server.ts'
import { modernRequest } from '../support/test-app.ts'
import { trusting } from '../support/trusting.ts'

const RESOURCE = `${ORIGIN}/mcp`
const accounts = objectsOfKind<AccountObject>('account')
const KINDS = ['tools', 'prompts', 'resources'] as const
type Kind = (typeof KINDS)[number]
const LISTENED = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

const tokens = new Map<Subject, Tokens>()
const tokenOf = (subject: Subject) => tokens.get(subject)?.access

beforeAll(async () => {
  const fetch = sendTo(subjectApp)
  const server = {
    bindings: { ...env },
    events: subjectEvents,
    fetch: (url: string, init?: RequestInit) => fetch(new Request(url, init)),
  }
  const client = await AuthClient.register(server)
  for (const subject of ['ada', 'bob'] as const) {
    tokens.set(subject, await client.tokens({}, PASSPHRASES[subject]))
  }
})

beforeEach(async () => {
  additions.clear()
  for (const subject of tokens.keys()) await subjectApp.notify(env).toolsChanged({ subject })
})

function change(notify: Notify, kind: Kind, to?: { readonly subject?: string | undefined }) {
  const { toolsChanged, promptsChanged, resourcesChanged } = notify
  return { tools: toolsChanged, prompts: promptsChanged, resources: resourcesChanged }[kind](to)
}

/** Adds a name to the definition of a subject, and says so. */
async function add(subject: Subject, name: string, kind: Kind = 'tools'): Promise<void> {
  additions.set(subject, [...(additions.get(subject) ?? []), name])
  await change(subjectApp.notify(env), kind, { subject })
}

function modern(
  subject: Subject,
  method: string,
  params: Record<string, unknown> = {},
  app = subjectApp,
): Promise<Response> {
  const { body, headers } = modernRequest(method, params)
  const common = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  return sendTo(
    app,
    tokenOf(subject),
  )(
    new Request(RESOURCE, {
      method: 'POST',
      headers: { ...common, ...(headers as Record<string, string>) },
      body: JSON.stringify(body),
    }),
  )
}

async function listModern(subject: Subject, kind: Kind = 'tools', app = subjectApp) {
  return namesOf(await readMessage(await modern(subject, `${kind}/list`, {}, app)), kind)
}

/** The names that not every definition has. */
function namesOf({ result }: WireMessage, kind: Kind = 'tools'): readonly string[] {
  const common = ['ask', 'change', 'version', 'note', 'prompt']
  const named: readonly { name: string }[] = result[kind]
  return named.map(({ name }) => name).filter((name) => !common.includes(name))
}

/** Opens `subscriptions/listen` and reads its acknowledgement. */
async function listen(subject: Subject, app = subjectApp, notifications: object = LISTENED) {
  const stream = new SseReader(
    await modern(subject, 'subscriptions/listen', { notifications }, app),
  )
  expect((await stream.message()).method).toBe('notifications/subscriptions/acknowledged')
  return stream
}

const openSession = (subject: Subject, app = subjectApp) =>
  HttpSession.open({ url: RESOURCE, fetch: sendTo(app, tokenOf(subject)) })

const listSession = async (session: HttpSession) => namesOf(await session.request('tools/list'))

describe('a change of a list for one subject', () => {
  it.each(KINDS)(
    'reaches the modern listeners of that subject alone, which then list its new %s',
    async (kind) => {
      expect(await listModern('ada', kind)).toEqual([])
      expect(await listModern('bob', kind)).toEqual([])
      const [ada, bob] = [await listen('ada'), await listen('bob')]
      await add('ada', 'hers', kind)
      expect((await ada.message()).method).toBe(`notifications/${kind}/list_changed`)
      expect(await listModern('ada', kind)).toEqual(['hers'])
      expect(await listModern('bob', kind)).toEqual([])
      // The first message of the other subject is that of the next change.
      await change(subjectApp.notify(env), kind === 'tools' ? 'prompts' : 'tools')
      const next = `notifications/${kind === 'tools' ? 'prompts' : 'tools'}/list_changed`
      expect((await bob.message()).method).toBe(next)
      expect((await ada.message()).method).toBe(next)
    },
  )

  it('reaches the sessions of that subject alone, whose objects build the definition anew', async () => {
    const [ada, bob] = [await openSession('ada'), await openSession('bob')]
    const streams = [await ada.listen(), await bob.listen()] as const
    expect([await listSession(ada), await listSession(bob)]).toEqual([[], []])
    await add('ada', 'hers')
    expect((await streams[0].message()).method).toBe('notifications/tools/list_changed')
    expect([await listSession(ada), await listSession(bob)]).toEqual([['hers'], []])
    const called = await ada.request('tools/call', { name: 'hers', arguments: {} })
    expect(called.result.content[0].text).toBe('hers')
    await subjectApp.notify(env).promptsChanged()
    expect((await streams[1].message()).method).toBe('notifications/prompts/list_changed')
  })

  it('reaches the sessions of the 2024-11-05 transport of that subject alone', async () => {
    const open = (subject: Subject) =>
      initializeHttpSse({ fetch: sendTo(subjectApp, tokenOf(subject)) }, {}, `${ORIGIN}/sse`)
    const [ada, bob] = [await open('ada'), await open('bob')]
    const list = async ({ send, stream }: typeof ada) => {
      expect((await send('tools/list', {})).status).toBe(202)
      return namesOf(await stream.message())
    }
    expect([await list(ada), await list(bob)]).toEqual([[], []])
    await add('ada', 'hers')
    expect((await ada.stream.message()).method).toBe('notifications/tools/list_changed')
    expect([await list(ada), await list(bob)]).toEqual([['hers'], []])
    await subjectApp.notify(env).promptsChanged()
    expect((await bob.stream.message()).method).toBe('notifications/prompts/list_changed')
  })

  it('can be published by a handler of the subject, in a session and in the modern era', async () => {
    const stream = await listen('ada')
    const session = await openSession('ada')
    expect(await listSession(session)).toEqual([])
    await session.request('tools/call', { name: 'change', arguments: {} })
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
    expect(await listSession(session)).toEqual(['of_handler'])
    additions.clear()
    await subjectApp.notify(env).toolsChanged({ subject: 'ada' })
    expect(await listModern('ada')).toEqual([])
    await modern('ada', 'tools/call', { name: 'change', arguments: {} })
    expect(await listModern('ada')).toEqual(['of_handler'])
  })

  it('is in effect for a run that resumes with an answer', async () => {
    const session = await openSession('ada')
    const call = await session.streamTool('ask')
    const question = await call.message()
    await add('ada', 'hers')
    expect(await session.answer(question, accept({ ok: true }))).toBe(202)
    expect((await call.message()).result.content[0].text).toBe('hers')
  })
})

describe('another isolate, after a change of a list for one subject', () => {
  it('builds the definition anew before it notifies a listener that it holds', async () => {
    const elsewhere = openSubjectApp()
    const stream = await listen('ada', elsewhere)
    expect(await listModern('ada', 'tools', elsewhere)).toEqual([])
    await add('ada', 'hers')
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
    expect(await listModern('ada', 'tools', elsewhere)).toEqual(['hers'])
  })

  it('builds the definition anew before it notifies a session whose stream it holds', async () => {
    const elsewhere = openSubjectApp()
    const session = await openSession('ada', elsewhere)
    const stream = await session.listen()
    expect(await listSession(session)).toEqual([])
    await add('ada', 'hers')
    expect((await stream.message()).method).toBe('notifications/tools/list_changed')
    expect(await listSession(session)).toEqual(['hers'])
  })

  it('that holds no stream of the subject serves the earlier definition until the next check of the grant', async () => {
    const limits = { grantCheckFreshMs: 1500, grantCheckMaxAgeMs: 1500 }
    const elsewhere = openSubjectApp({ limits })
    expect(await listModern('ada', 'tools', elsewhere)).toEqual([])
    await add('ada', 'hers')
    await expect.poll(() => listModern('ada', 'tools', elsewhere)).toEqual(['hers'])
    expect(await listModern('bob', 'tools', elsewhere)).toEqual([])
  })

  it('has the same version of the definition, also after a kill of the account', async () => {
    const versionIn = async (app: typeof subjectApp) => {
      const call = { name: 'version', arguments: {} }
      const { result } = await readMessage(await modern('bob', 'tools/call', call, app))
      return result.content[0].text
    }
    const before = await versionIn(openSubjectApp())
    await subjectApp.notify(env).toolsChanged({ subject: 'bob' })
    const after = await versionIn(openSubjectApp())
    expect(after).not.toBe(before)
    await evictDurableObject(accounts.named(await accountName('bob')))
    expect(await versionIn(openSubjectApp())).toBe(after)
    expect(await versionIn(subjectApp)).toBe(after)
  })
})

describe('an open stream, after a change of the resources of its subject', () => {
  it('reports updates of a resource that the change has brought', async () => {
    const session = await openSession('ada')
    const stream = await session.listen()
    expect(await listSession(session)).toEqual([])
    await add('ada', 'hers', 'resources')
    expect((await stream.message()).method).toBe('notifications/resources/list_changed')
    await session.request('resources/subscribe', { uri: 'note://hers' })
    await subjectApp.notify(env).resourceUpdated('note://hers')
    expect((await stream.message()).params).toEqual({ uri: 'note://hers' })
  })

  it('reports no updates of a resource that the change has removed', async () => {
    additions.set('bob', ['his'])
    await subjectApp.notify(env).resourcesChanged({ subject: 'bob' })
    const filter = { ...LISTENED, resourceSubscriptions: ['note://his', 'note://all'] }
    const stream = await listen('bob', subjectApp, filter)
    const notify = subjectApp.notify(env)
    await notify.resourceUpdated('note://his')
    expect((await stream.message()).params.uri).toBe('note://his')
    additions.clear()
    await notify.resourcesChanged({ subject: 'bob' })
    expect((await stream.message()).method).toBe('notifications/resources/list_changed')
    // A request of the same caller is answered when the caller has been checked.
    expect(await listModern('bob', 'resources')).toEqual([])
    await notify.resourceUpdated('note://his')
    await notify.resourceUpdated('note://all')
    expect((await stream.message()).params.uri).toBe('note://all')
  })
})

describe('notify with a subject', () => {
  // Malformed subjects come from JavaScript: the types reject them.
  const wrong = (subject: unknown) => ({ subject: subject as string })

  it.each([
    ['is empty', ''],
    ['is not a string', 5],
    ['is null', null],
    ['is a list', ['ada']],
    ['is longer than any token', 'x'.repeat(8193)],
  ])('rejects a subject that %s', async (_, subject) => {
    for (const kind of KINDS) {
      const changed = change(subjectApp.notify(env), kind, wrong(subject))
      await expect(changed).rejects.toThrow(/1 to 8192 characters: ctx\.auth\.subject/)
    }
  })

  it('that is undefined publishes to all', async () => {
    const bob = await listen('bob')
    await subjectApp.notify(env).toolsChanged({ subject: undefined })
    expect((await bob.message()).method).toBe('notifications/tools/list_changed')
  })

  it('stores nothing in the account of a subject that has no grant', async () => {
    await subjectApp.notify(env).toolsChanged({ subject: 'without-grants' })
    const tables = await inPart(
      accounts.named(await accountName('without-grants')),
      (_, { storage: { sql } }) => sql.exec('SELECT name FROM sqlite_master').toArray(),
    )
    expect(tables).toEqual([])
  })

  it('without the objects is rejected with an error that names their binding', async () => {
    const { MCP_OBJECTS: _, ...without } = { ...env }
    const changed = subjectApp.notify(without as never).toolsChanged({ subject: 'ada' })
    await expect(changed).rejects.toThrow('embedded() needs the binding MCP_OBJECTS')
  })

  it('rejects when the account cannot be reached, and notifies no listener', async () => {
    const ada = await listen('ada')
    const bindings = failCalls({ ...env }, ['account'], new Error('away'))
    const changed = subjectApp.notify(bindings as never).toolsChanged({ subject: 'ada' })
    await expect(changed).rejects.toThrow('away')
    await subjectApp.notify(env).promptsChanged()
    expect((await ada.message()).method).toBe('notifications/prompts/list_changed')
  })

  it('changes the definitions at every origin where each has accounts of its own', async () => {
    const origins = [ORIGIN, 'https://second.example.com'] as const
    const app = openSubjectApp({ origin: undefined, origins, accountsPerOrigin: true })
    const called: string[] = []
    const recording = answerCalls({ ...env }, ({ kind, key, method }, next) => {
      if (kind !== 'account') return next()
      // Other tests may have left revocations in the keyring.
      if (method === 'changeDefinitionVersion') called.push(key)
      return undefined
    })
    await app.notify({ ...env, ...recording }).toolsChanged({ subject: 'ada' })
    expect(called.sort()).toEqual(
      [await accountName('ada'), await accountName('ada', origins[1])].sort(),
    )
  })

  const factory = () => new FullServer({ name: 'x', version: '0' })
  const OPTIONS = { info: { name: 'x', version: '1' } }

  it.each([
    ['external()', { ...OPTIONS, auth: trusting(ORIGIN) }],
    ['no authorization', OPTIONS],
  ])(
    'is refused for a factory with %s, whose other isolates it would not reach',
    async (_, options) => {
      const notify = createFullEdgeway(factory, options).notify(env)
      for (const kind of KINDS) {
        await expect(change(notify, kind, { subject: 'ada' })).rejects.toThrow(
          /needs embedded\(\), verifier\(\) or fromContext\(\)/,
        )
        await change(notify, kind)
      }
      await notify.resourceUpdated('note://a', { subject: 'ada' })
    },
  )

  it('is published for a server without a factory with any authorization', async () => {
    const notify = createFullEdgeway(factory(), { auth: trusting(ORIGIN) }).notify(env)
    for (const kind of KINDS) await change(notify, kind, { subject: 'ada' })
  })

  it('makes the next request of a caller wait for verifier()', async () => {
    let plan = 'free'
    const app = createFullEdgeway(
      ({ auth }) =>
        new FullServer({ name: 'x', version: '0' }).registerTool(
          `tool_of_${auth?.props?.plan}`,
          {},
          () => 'x',
        ),
      { ...OPTIONS, auth: verifier(() => ({ subject: 'ada', props: { plan } })) },
    )
    const list = async () =>
      namesOf(await readMessage(await modern('ada', 'tools/list', {}, app as never)))
    expect(await list()).toEqual(['tool_of_free'])
    plan = 'paid'
    expect(await list()).toEqual(['tool_of_free'])
    await app.notify(env).toolsChanged({ subject: 'ada' })
    expect(await list()).toEqual(['tool_of_paid'])
  })
})
