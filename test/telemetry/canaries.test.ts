/**
 * Nothing secret reaches a sink. Each secret is a canary: a text that occurs nowhere else. The tests send them
 * through every entrance, and look for them in everything that every sink has written.
 */
// features: state
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { apiKey, passphrase } from '../../src/auth/index.ts'
import { ResourceTemplate, ToolError } from '../../src/index.ts'
import { tokensWithKey } from '../auth/server/support/api-keys.ts'
import { Browser } from '../auth/server/support/browser.ts'
import { AuthClient, codeOf, tokensOf } from '../auth/server/support/client.ts'
import {
  createBindings,
  type Deployment,
  openDeployment,
  RESOURCE,
} from '../auth/server/support/deployment.ts'
import { TaskClient } from '../durable-objects/task/task-client.ts'
import { FullServer } from '../support/full-server.ts'
import { openSession, openSessionApp } from '../support/session-client.ts'
import { recordedEvents } from '../support/session-server.ts'
import { recordedTaskEvents } from '../support/task-server.ts'
import { modernRequest } from '../support/test-app.ts'
import { type EverySink, openEverySink } from './every-sink.ts'

/** Canaries by what they are. A text that the server creates is added when it is known. */
class Canaries {
  readonly #texts: (readonly [what: string, text: string])[] = []

  /** A text of the test. */
  make(what: string): string {
    return this.add(what, `canary-${crypto.randomUUID()}`)
  }

  add(what: string, text: string): string {
    this.#texts.push([what, text])
    return text
  }

  /** What was found in the output of which sink. */
  async foundIn(sinks: EverySink): Promise<readonly string[]> {
    const found = Object.entries(await sinks.output()).flatMap(([sink, text]) =>
      this.#texts.flatMap(([what, canary]) => (text.includes(canary) ? `${what} in ${sink}` : [])),
    )
    return [...new Set(found)]
  }

  get size(): number {
    return this.#texts.length
  }
}

function createServer(canaries: Canaries): FullServer {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  const inputSchema = z.object({ text: z.string() })
  const result = canaries.make('a result')
  server.registerTool('echo', { inputSchema }, () => result)
  server.registerTool('refuse', { inputSchema }, ({ text }) => {
    throw new ToolError(text)
  })
  server.registerTool('fail', { inputSchema }, ({ text }) => {
    throw new RangeError(`${text} ${canaries.make('an error of a handler')}`, {
      cause: new Error(canaries.make('the cause of an error')),
    })
  })
  server.registerTool('throw', {}, () => {
    throw canaries.make('a thrown text')
  })
  server.registerTool('bad', { outputSchema: z.object({ n: z.number() }) }, () => {
    return { n: canaries.make('a bad result') } as unknown as { n: number }
  })
  server.registerTool('work', { inputSchema }, async ({ text }, ctx) => {
    await ctx.step('step', async () => canaries.make('the result of a step'))
    const handle = await ctx.state.create(canaries.make('a value of state'))
    canaries.add('a state handle', handle)
    await ctx.log('error', canaries.make('a log message'))
    await ctx.progress(1, 2, canaries.make('a progress message'))
    await ctx.elicit({ message: canaries.make('a question'), schema: { ok: z.string() } })
    return text
  })
  const template = new ResourceTemplate('note://{id}', { list: undefined })
  server.registerResource('note', template, {}, () => canaries.make('contents of a resource'))
  server.registerPrompt('prompt', { argsSchema: inputSchema }, ({ text }) => text)
  return server
}

const CAN_ELICIT = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

async function callsOf(server: Deployment, token: string, canaries: Canaries) {
  const send = async (method: string, params: object, extra: object = {}) => {
    const { body, headers } = modernRequest(method, { ...params }, { meta: CAN_ELICIT })
    Object.assign(body.params, extra)
    const response = await server.fetch(`${RESOURCE}?key=${canaries.make('a query parameter')}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        cookie: `session=${canaries.make('a cookie')}`,
        'x-secret': canaries.make('a header'),
        'cf-connecting-ip': '203.0.113.77',
        ...(headers as Record<string, string>),
      },
      body: JSON.stringify(body),
    })
    return response.text()
  }
  const text = canaries.make('an argument')
  for (const name of ['echo', 'refuse', 'fail', 'throw', 'bad']) {
    await send('tools/call', { name, arguments: { text } })
  }
  await send('tools/call', { name: canaries.make('an unknown tool'), arguments: { text } })
  await send('resources/read', { uri: `note://${canaries.make('a URI')}` })
  await send('prompts/get', { name: 'prompt', arguments: { text } })
  const asked = await send('tools/call', { name: 'work', arguments: { text } })
  const state = /"requestState":"([^"]+)"/.exec(asked)?.[1] ?? ''
  const key = /"inputRequests":\{"([^"]+)"/.exec(asked)?.[1] ?? ''
  expect(state).not.toBe('')
  const content = { ok: canaries.make('an answer to a question') }
  canaries.add('a request state', state)
  const inputResponses = { [key]: { action: 'accept', content } }
  await send(
    'tools/call',
    { name: 'work', arguments: { text } },
    { requestState: state, inputResponses },
  )
  canaries.add('an address', '203.0.113.77')
}

/** Signs in, redeems and misuses codes and tokens, and calls everything. */
async function visit(canaries: Canaries, sinks: EverySink): Promise<void> {
  const secret = canaries.make('a passphrase')
  const server = openDeployment(
    { login: passphrase({ people: { owner: secret } }) },
    {
      app: { telemetry: sinks.telemetry },
      bindings: createBindings(sinks.bindings),
      server: createServer(canaries),
    },
  )
  const client = await AuthClient.register(server, {
    client_name: canaries.make('the name of a registered client'),
    token_endpoint_auth_method: 'client_secret_post',
  })
  canaries.add('a client id', client.id)
  canaries.add('a client secret', client.secret ?? '')
  const browser = new Browser(server)
  const page = await client.authorize(browser, { state: canaries.make('the state of a client') })
  await browser.decide(page, 'approve', { passphrase: canaries.make('a wrong passphrase') })
  const code = canaries.add('a code', await client.code({}, secret))
  const tokens = await tokensOf(await client.redeem(code))
  canaries.add('an access token', tokens.access)
  canaries.add('a refresh token', tokens.refresh)
  await callsOf(server, tokens.access, canaries)
  const wrong = canaries.make('a made-up token')
  await server.fetch(RESOURCE, { method: 'POST', headers: { authorization: `Bearer ${wrong}` } })
  await client.redeem(code)
  await client.redeem(canaries.make('a made-up code'), {
    code_verifier: canaries.make('a verifier'),
  })
  await client.refresh(canaries.make('a made-up refresh token'))
  await client.post('/revoke', { token: tokens.refresh })
  await server.fetch(`https://mcp.example.com/webhooks/${canaries.make('a webhook secret')}`, {
    method: 'POST',
    body: canaries.make('the body of a webhook'),
  })
  for (const [name, value] of browser.cookies) canaries.add(`the cookie ${name}`, value)
}

describe('every sink', () => {
  it('has nothing secret of sign-ins, tokens and calls', async () => {
    const canaries = new Canaries()
    const sinks = openEverySink()
    await visit(canaries, sinks)
    expect(canaries.size).toBeGreaterThan(60)
    expect(await canaries.foundIn(sinks)).toEqual([])
    for (const [sink, text] of Object.entries(await sinks.output())) {
      expect(text.length, sink).toBeGreaterThan(2_000)
    }
  })

  it('has nothing secret of a sign-in with an API key of another service', async () => {
    const canaries = new Canaries()
    const sinks = openEverySink()
    const key = canaries.make('an API key')
    const upstream = canaries.make('a name at the provider')
    const login = apiKey({
      label: 'Key',
      verify: (given) => {
        if (given !== key)
          throw new Error(`refused ${given} ${canaries.make('an error of a login')}`)
        return { subject: 'ada', name: upstream, props: { secret: canaries.make('props') } }
      },
    })
    const server = openDeployment(
      { login },
      { app: { telemetry: sinks.telemetry }, bindings: createBindings(sinks.bindings) },
    )
    const client = await AuthClient.register(server)
    const { access } = await tokensWithKey(client, key)
    canaries.add('an access token', access)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    const wrong = canaries.make('a wrong API key')
    expect(() => codeOf(page)).toThrow()
    await browser.decide(page, 'approve', { api_key: wrong })
    expect(await canaries.foundIn(sinks)).toEqual([])
    expect((await sinks.output()).console).toContain('internal-error')
  })

  it('has nothing secret of sessions, tasks and their objects', async () => {
    const canaries = new Canaries()
    const sinks = openEverySink()
    const before = [recordedEvents.length, recordedTaskEvents.length]
    const session = await openSession({}, openSessionApp({ telemetry: sinks.telemetry }))
    canaries.add('a session id', session.id)
    const call = await session.stream(async ({ elicit, session: own, step }) => {
      await step('step', () => canaries.make('the result of a step'))
      await elicit({ message: canaries.make('a question'), schema: { ok: z.string() } })
      throw new Error(canaries.make(`an error in ${own === undefined}`))
    })
    const question = await call.message()
    const content = { ok: canaries.make('an answer') }
    await session.answer(question, { action: 'accept', content })
    await call.message()
    const tasks = new TaskClient()
    const id = await tasks.start(async ({ elicit, webhook }) => {
      canaries.add('the URL of a webhook', await webhook('event'))
      await elicit({
        key: 'sure',
        message: canaries.make('a question'),
        schema: { ok: z.string() },
      })
      return canaries.make('the result of a task')
    })
    canaries.add('a task id', id)
    const asking = await tasks.reaches(id, 'input_required')
    const [key = ''] = Object.keys(asking.inputRequests)
    await tasks.answer(id, { [key]: { action: 'accept', content } })
    await tasks.reaches(id, 'completed')
    // The objects of these tests have sinks of their own: what they have received goes to every sink.
    const received = [...recordedEvents.slice(before[0]), ...recordedTaskEvents.slice(before[1])]
    for (const event of received) {
      for (const sink of sinks.telemetry) sink.record(event, sinks.bindings)
    }
    for (const sink of sinks.telemetry) sink.flush?.(sinks.bindings, () => undefined)
    expect(await canaries.foundIn(sinks)).toEqual([])
    expect(new Set(received.map(({ type }) => type))).toContain('task')
    expect((await sinks.output()).OTLP).toContain('handler run')
  })

  it('would be found out: what an author logs on purpose is found in the sink that has it', async () => {
    const canaries = new Canaries()
    const sinks = openEverySink(true)
    await visit(canaries, sinks)
    expect(await canaries.foundIn(sinks)).toEqual([
      'an argument in console',
      'an error of a handler in console',
      'a thrown text in console',
    ])
  })
})
