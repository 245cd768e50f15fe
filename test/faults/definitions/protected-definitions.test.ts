/**
 * The definitions of the protected server, which a factory builds for each subject, in every era and
 * across kills of the process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { GUEST, OWNER } from '../../attacks/auth/browser.ts'
import { obtainTokens, register } from '../../attacks/auth/client.ts'
import { accept } from '../../support/accept.ts'
import { HttpSession } from '../../support/http-session.ts'
import { type FixtureServer, startFixtureServer } from '../../support/node/fixture-server.ts'
import type { WireMessage } from '../../support/sse-reader.ts'
import { Session } from '../sessions/session.ts'
import { ERAS, type EraClient, openEraClient, requestModern, withToken } from './era-client.ts'

const PEOPLE = { owner: OWNER, guest: GUEST }
type Subject = keyof typeof PEOPLE
const SUBJECTS = Object.keys(PEOPLE) as Subject[]
const OTHER: Record<Subject, Subject> = { owner: 'guest', guest: 'owner' }

let server: FixtureServer
let state: string
let port: number
/** Access tokens by subject and path. */
const tokens = new Map<string, string>()

const urlOf = (path: string) => `http://127.0.0.1:${port}${path}`
const fetchAs = (subject: Subject, path = '/mcp') =>
  withToken(tokens.get(`${subject} ${path}`) ?? '')

async function restart(): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  await server.stop()
  server = await startFixtureServer({ protected: true, state, port })
}

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'edgeway-definitions-'))
  port = await findFreePort()
  server = await startFixtureServer({ protected: true, state, port })
  const issuer = new URL(server.url).origin
  const client = await register(issuer)
  for (const subject of SUBJECTS) {
    for (const path of ['/mcp', '/other']) {
      const asked = { passphrase: PEOPLE[subject], resource: urlOf(path) }
      tokens.set(`${subject} ${path}`, (await obtainTokens(issuer, client, asked)).access)
    }
  }
})

afterAll(async () => {
  await server.stop()
  await rm(state, { recursive: true, force: true })
})

interface ListedTool {
  readonly name: string
  readonly description: string
}

/** Every tool, from all pages of the list. */
async function listTools(client: EraClient): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = []
  let cursor: string | undefined
  do {
    const { result } = await client.request('tools/list', cursor === undefined ? {} : { cursor })
    tools.push(...result.tools)
    cursor = result.nextCursor
  } while (cursor !== undefined)
  return tools
}

const callTool = (client: EraClient, name: string) =>
  client.request('tools/call', { name, arguments: {} })

const textOf = ({ result }: WireMessage): string => result.content[0].text

/** Requires the definition of a subject, and nothing of the other one. */
async function expectDefinition(client: EraClient, subject: Subject): Promise<void> {
  const tools = await listTools(client)
  const own = tools.map(({ name }) => name).filter((name) => name.startsWith('only_'))
  expect(own).toEqual([`only_${subject}`])
  expect(tools.find(({ name }) => name === 'whoami')?.description).toMatch(
    new RegExp(` ${subject}$`),
  )
  await expectCalls(client, subject)
}

async function expectCalls(client: EraClient, subject: Subject): Promise<void> {
  expect(textOf(await callTool(client, `only_${subject}`))).toBe(subject)
  const foreign = `only_${OTHER[subject]}`
  const { error } = await callTool(client, foreign)
  expect(error).toMatchObject({ code: -32602, message: `Unknown tool: ${foreign}` })
}

describe('the definition of a subject of the protected server', () => {
  const served = SUBJECTS.flatMap((subject) => [
    ...ERAS.map((era) => [subject, era, '/mcp'] as const),
    ...ERAS.filter((era) => era !== 'http-sse').map((era) => [subject, era, '/other'] as const),
  ])

  it('is the same in every era and at both resources, also when the process is killed between a list and a call', async () => {
    const clients = await Promise.all(
      served.map(async ([subject, era, path]) => {
        const client = await openEraClient(era, urlOf(path), fetchAs(subject, path))
        await expectDefinition(client, subject)
        return { client, subject }
      }),
    )
    await restart()
    await Promise.all(
      clients.map(async ({ client, subject }) => {
        await client.reconnect()
        await expectCalls(client, subject)
        await expectDefinition(client, subject)
      }),
    )
  })
})

describe('a call of a tool that exists for the owner alone', () => {
  const ANSWERED = { ok: true }

  it('is resumed after a kill at its question: in its session, and by the request state for the owner alone', async () => {
    const session = new Session(
      await HttpSession.open(
        { url: urlOf('/mcp'), fetch: fetchAs('owner') },
        { capabilities: { elicitation: {} } },
      ),
    )
    const stream = await session.stream('only_owner', { ask: 'owner' })
    const ask = await stream.message(0)
    const first = { name: 'only_owner', arguments: { ask: 'owner' } }
    const call = (subject: Subject, params: { readonly name: string }) =>
      requestModern(urlOf('/mcp'), fetchAs(subject), 'tools/call', params)
    const { requestState } = (await call('owner', first)).result
    const answered = { ...first, requestState, inputResponses: { confirm: accept(ANSWERED) } }
    await restart()

    expect(await session.answer(ask, ANSWERED)).toBe(202)
    const rest = await session.rest(stream.lastId)
    expect(rest.at(-1)?.result?.content?.[0]?.text).toBe('owner accept')
    const unknown = { code: -32602, message: 'Unknown tool: only_owner' }
    expect((await call('guest', answered)).error).toMatchObject(unknown)
    expect(textOf(await call('owner', answered))).toBe('owner accept')
  })
})
