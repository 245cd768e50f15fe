/** Tests the authorization example: the caller's subject and team, and the scopes of its token. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import authorization from '../../examples/authorization/worker.ts'
import { authorize } from '../../scripts/support/authorize.ts'
import { ENDPOINT } from '../support/test-app.ts'
import { createClient } from './client.ts'

const origin = new URL(ENDPOINT).origin
const fetch = (request: Request) => authorization.fetch(request, env, createExecutionContext())

function clientWith(token: string | undefined) {
  return createClient((request) => {
    const headers = new Headers(request.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return fetch(new Request(request, { headers }))
  })
}

describe('the authorization example', () => {
  it('answers 401 with the resource metadata URL when the request has no token', async () => {
    const { status, headers } = await clientWith(undefined).send('tools/list')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain(
      `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    )
  })

  it('returns the subject, and the team that the hook attached to the grant', async () => {
    const client = clientWith(await authorize({ origin, fetch }))
    expect(await client.call('who_am_i')).toEqual({
      subject: 'owner',
      team: 'blue',
      scopes: ['board:read'],
    })
  })

  it('answers 403 with the missing scope, and accepts a token that has it', async () => {
    const reader = clientWith(await authorize({ origin, fetch, scope: 'board:read' }))
    const refused = await reader.send('tools/call', { name: 'post', arguments: { message: 'x' } })
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toContain('scope="board:read board:write"')
    const writer = clientWith(await authorize({ origin, fetch, scope: 'board:write' }))
    const { content } = await writer.ask('tools/call', {
      name: 'post',
      arguments: { message: 'x' },
    })
    expect(content).toEqual([{ type: 'text', text: 'Posted for blue: x' }])
    expect((await writer.call('who_am_i')).scopes).toEqual(['board:write', 'board:read'])
  })
})
