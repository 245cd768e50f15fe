/** Faults of an authorization request that the client reads, because the redirect URI is its own. */
import { describe, expect, it } from 'vitest'
import { redirectOf } from './support/answers.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, CHALLENGE, REDIRECT_URI } from './support/client.ts'
import { openDeployment } from './support/deployment.ts'
import { SECRET_HASH } from './support/static-clients.ts'

const REFUSED = { to: 'https://client.example/callback', iss: 'https://mcp.example.com' }
const JKT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'

describe('the authorization endpoint', () => {
  it.each([
    ['with response_mode=query', { response_mode: 'query' }],
    ['without response_mode', { response_mode: undefined }],
    ['without state', { state: undefined }],
    ['with a state of 4,096 characters', { state: 's'.repeat(4096) }],
    ['with dpop_jkt', { dpop_jkt: JKT }],
    ['with a parameter that it does not know', { prompt: 'consent' }],
    ['with a parameter that is empty', { request_uri: '' }],
  ])('accepts a request %s', async (_, changes) => {
    const client = await AuthClient.register(openDeployment())
    const { status, actions } = await client.authorize(undefined, changes)
    expect([status, actions]).toEqual([200, ['/authorize/decision']])
  })

  it.each([
    ['without response_type', { response_type: undefined }, 'invalid_request'],
    ['with an empty response_type', { response_type: '' }, 'invalid_request'],
    ['with response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['with a hybrid response_type', { response_type: 'code token' }, 'unsupported_response_type'],
    ['with response_mode=fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['with response_mode=form_post', { response_mode: 'form_post' }, 'invalid_request'],
    ['with a request object', { request: 'e30.e30.' }, 'invalid_request'],
    ['with request_uri', { request_uri: 'https://client.example/r' }, 'invalid_request'],
    ['with a dpop_jkt of 42 characters', { dpop_jkt: JKT.slice(1) }, 'invalid_request'],
    ['with a dpop_jkt in base64', { dpop_jkt: `+${JKT.slice(1)}` }, 'invalid_request'],
  ])('redirects a request %s with the error', async (_, changes, error) => {
    const client = await AuthClient.register(openDeployment())
    expect(redirectOf(await client.authorize(undefined, changes))).toEqual({
      ...REFUSED,
      state: 'the-state',
      error,
    })
  })

  it('redirects a state of 4,097 characters with invalid_request and the state', async () => {
    const client = await AuthClient.register(openDeployment())
    const state = 's'.repeat(4097)
    expect(redirectOf(await client.authorize(undefined, { state }))).toEqual({
      ...REFUSED,
      state,
      error: 'invalid_request',
    })
  })

  it('leaves state out of the error of a request without state', async () => {
    const client = await AuthClient.register(openDeployment())
    const changes = { state: undefined, response_type: undefined }
    expect(redirectOf(await client.authorize(undefined, changes))).toEqual({
      ...REFUSED,
      error: 'invalid_request',
    })
  })

  it.each([
    ['code_challenge', `&code_challenge=${CHALLENGE}`],
    ['scope', '&scope=read&scope=read'],
    ['an unknown parameter', '&x=1&x=2'],
  ])('redirects a request that has %s twice with invalid_request', async (_, more) => {
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath()
    expect(redirectOf(await new Browser(server).get(`${path}${more}`))).toEqual({
      ...REFUSED,
      state: 'the-state',
      error: 'invalid_request',
    })
  })

  it('redirects a request that has state twice with invalid_request and no state', async () => {
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath()
    expect(redirectOf(await new Browser(server).get(`${path}&state=other`))).toEqual({
      ...REFUSED,
      error: 'invalid_request',
    })
  })

  it('redirects a state that is not UTF-8 with invalid_request and no state', async () => {
    const server = openDeployment()
    const path = (await AuthClient.register(server)).authorizePath({ state: undefined })
    expect(redirectOf(await new Browser(server).get(`${path}&state=%FF`))).toEqual({
      ...REFUSED,
      error: 'invalid_request',
    })
  })

  it('returns a state that contains U+FFFD as the client sent it', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser, { state: 'a\ufffdb' })
    const { location } = await browser.decide(page, 'deny')
    expect(new URL(location ?? '').searchParams.get('state')).toBe('a\ufffdb')
  })

  it('redirects a client that may not use codes with unauthorized_client', async () => {
    const server = openDeployment({
      clients: [
        {
          id: 'machine',
          secretHash: SECRET_HASH,
          grantTypes: ['client_credentials'],
          redirectUris: [REDIRECT_URI],
        },
      ],
    })
    const machine = new AuthClient(server, 'machine')
    expect(redirectOf(await machine.authorize())).toEqual({
      ...REFUSED,
      state: 'the-state',
      error: 'unauthorized_client',
    })
  })

  it('appends its answer to a redirect URI that has a query', async () => {
    const redirect_uri = 'https://client.example/callback?tenant=a%20b'
    const client = await AuthClient.register(openDeployment(), { redirect_uris: [redirect_uri] })
    const { location } = await client.authorize(undefined, { redirect_uri, response_type: 'id' })
    expect(location).toMatch(
      /^https:\/\/client\.example\/callback\?tenant=a%20b&error=unsupported_response_type&/,
    )
  })
})
