/** Every part of the caller that a handle is bound to, each changed alone. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { AuthConfig } from '../../../src/auth/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { handlerOf } from '../../support/session-server.ts'
import { taskServer } from '../../support/task-server.ts'
import { openApp, openFactoryApp, type TestApp } from '../../support/test-app.ts'
import { trusting } from '../../support/trusting.ts'
import { TaskClient } from '../task/task-client.ts'
import { outcomeOf, run } from './run.ts'

const ORIGIN = 'https://handles.example.com'
const CALLER = { issuer: ORIGIN, subject: 'ada', resource: `${ORIGIN}/mcp`, clientId: 'client' }

/** Authorization whose every caller has these members. */
function callersAre(members: Partial<typeof CALLER>): AuthConfig {
  const trusted = trusting(ORIGIN)
  const createGate: AuthConfig['createGate'] = (...setting) => ({
    ...trusted.createGate(...setting),
    authenticate: async () => ({ auth: { ...CALLER, scopes: [], ...members }, grant: undefined }),
  })
  return { ...trusted, createGate }
}

const served = (options: Parameters<typeof openApp>[1], server = taskServer) =>
  openApp(server, options, env)

function serverOf(name: string): FullServer {
  const server = new FullServer({ name, version: '1' })
  return server.registerTool(
    'plain',
    { inputSchema: z.object({ script: z.string() }) },
    ({ script }, ctx) => handlerOf(script)(ctx),
  )
}

const tenants = openFactoryApp(
  () => serverOf('tenants'),
  { info: { name: 'tenants', version: '1' }, path: '/mcp/{tenant}' },
  env,
)

const APPS: readonly (readonly [string, TestApp, TestApp])[] = [
  ['issuer', served({ auth: callersAre({}) }), served({ auth: callersAre({ issuer: 'other' }) })],
  ['subject', served({ auth: callersAre({}) }), served({ auth: callersAre({ subject: 'bob' }) })],
  [
    'resource',
    served({ auth: callersAre({}) }),
    served({ auth: callersAre({ resource: `${ORIGIN}/other` }) }),
  ],
  ['server', served({}), served({}, serverOf('another-audience'))],
  ['param of the path', tenants.at('/mcp/blue'), tenants.at('/mcp/red')],
]

describe('a state handle', () => {
  it.each(APPS)('is unknown to a caller that differs in the %s alone', async (_, own, other) => {
    const handle = await run((ctx) => ctx.state.create('mine'), new TaskClient(own))
    const reasonAt = (app: TestApp) =>
      run((ctx) => outcomeOf(ctx.state.get(handle)), new TaskClient(app))
    expect(await reasonAt(other)).toBe('unknown-handle')
    expect(await reasonAt(own)).toBe('done')
  })

  it('is known to another client of the same caller', async () => {
    const handle = await run(
      (ctx) => ctx.state.create('mine'),
      new TaskClient(served({ auth: callersAre({}) })),
    )
    const other = served({ auth: callersAre({ clientId: 'another client' }) })
    expect(await run((ctx) => ctx.state.get(handle), new TaskClient(other))).toBe('mine')
  })
})
