/** Which callers and sessions share a definition of a factory, and what becomes of one that is not allowed. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDefinitions } from '../../src/dispatch/create-definitions.ts'
import { createExtensions } from '../../src/dispatch/create-extensions.ts'
import type { DefinitionOptions } from '../../src/dispatch/definitions.ts'
import { McpServer } from '../../src/index.ts'
import { NO_PARAMS } from '../../src/protocol/factory-params.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'

const AUTH = { issuer: 'https://a.example', subject: 'ada', resource: 'https://b.example/mcp' }
const ADA = { auth: { ...AUTH, clientId: 'client', scopes: [] }, params: NO_PARAMS }

function open(options: Partial<DefinitionOptions> = {}) {
  const events: TelemetryEvent[] = []
  let built = 0
  const { definitionsIn } = createDefinitions(
    () => {
      built++
      return new McpServer({ name: 'x', version: '1' }).registerTool(`tool_${built}`, {}, () => '')
    },
    {
      info: { name: 'x', version: '1' },
      audience: undefined,
      share: 'caller',
      limits: { factoryTimeoutMs: 10_000, definitionMaxAgeMs: 300_000, definitionsPerIsolate: 200 },
      report: (event) => events.push(event),
      check: () => undefined,
      extensions: createExtensions([]),
      ...options,
    },
  )
  return { definitions: definitionsIn({}), events, builtOften: () => built }
}

afterEach(() => vi.useRealTimers())

describe('the definition of a session', () => {
  it('belongs to that session alone, also when another one has the same caller', async () => {
    const { definitions, builtOften } = open({ share: 'session' })
    const one = await definitions.of({ ...ADA, session: 'one' })
    const two = await definitions.of({ ...ADA, session: 'two' })
    expect(two).not.toBe(one)
    expect(await definitions.of({ ...ADA, session: 'one' })).toBe(one)
    expect(builtOften()).toBe(2)
  })

  it('is built for each request that has no session', async () => {
    const { definitions } = open({ share: 'session' })
    expect(await definitions.of(ADA)).not.toBe(await definitions.of(ADA))
  })

  it('is kept for its age after it was last used', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { definitions, builtOften } = open({ share: 'session' })
    for (let use = 0; use < 4; use++) {
      await definitions.of({ ...ADA, session: 'one' })
      vi.setSystemTime(Date.now() + 200_000)
    }
    expect(builtOften()).toBe(1)
    vi.setSystemTime(Date.now() + 300_000)
    await definitions.of({ ...ADA, session: 'one' })
    expect(builtOften()).toBe(2)
  })
})

describe('the definition of a caller', () => {
  it('is shared by its sessions and requests', async () => {
    const { definitions } = open()
    const found = await definitions.of(ADA)
    expect(await definitions.of({ ...ADA, session: 'one' })).toBe(found)
    expect(await definitions.of({ ...ADA, auth: { ...ADA.auth, scopes: ['a'] } })).not.toBe(found)
  })

  it('is an error when the options of the server do not allow it, and telemetry has the reason', async () => {
    const reason = new TypeError('A tool with tasks needs a binding')
    const { definitions, events } = open({
      check: () => {
        throw reason
      },
    })
    await expect(Promise.resolve(definitions.of(ADA))).rejects.toThrow(ProtocolError)
    expect(events).toMatchObject([{ type: 'handler-error', error: reason }])
  })

  it('is built again for a caller that has changed, also in the same object', async () => {
    const { definitions } = open()
    const auth = { ...ADA.auth, scopes: ['read'] }
    const found = await definitions.of({ ...ADA, auth })
    auth.scopes = ['read', 'write']
    expect(await definitions.of({ ...ADA, auth })).not.toBe(found)
  })
})
