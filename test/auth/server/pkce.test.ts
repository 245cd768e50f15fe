import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf, errorWith, linkedErrorOf, refusalOf, refusalWith } from './support/answers.ts'
import { AuthClient, CHALLENGE, VERIFIER } from './support/client.ts'
import { openDeployment } from './support/deployment.ts'

describe('the authorization endpoint', () => {
  it('accepts an S256 code challenge', async () => {
    verifies('oauth-2-1-grants/code-challenge', 'oauth-2-1-grants/s256', 'pkce/s256-is-implemented')
    verifies('oauth-security-practice/pkce-support', 'native-apps/pkce')
    const client = await AuthClient.register(openDeployment())
    const { status, actions } = await client.authorize()
    expect([status, actions]).toEqual([200, ['/authorize/decision']])
  })

  it.each([
    ['without code_challenge_method', { code_challenge_method: undefined }],
    ['with the method plain', { code_challenge_method: 'plain' }],
    ['with the method s256 in lower case', { code_challenge_method: 's256' }],
    ['without code_challenge', { code_challenge: undefined }],
    ['with an empty code_challenge', { code_challenge: '' }],
    ['with a code_challenge of 42 characters', { code_challenge: CHALLENGE.slice(1) }],
    ['with a code_challenge of 44 characters', { code_challenge: `${CHALLENGE}A` }],
    ['with a padded code_challenge', { code_challenge: `${CHALLENGE}=` }],
    ['with a code_challenge in base64', { code_challenge: `+${CHALLENGE.slice(1)}` }],
  ])('rejects a request %s with invalid_request', async (_, changes) => {
    verifies('authorization/pkce', 'authorization-security/oauth-2-1-security')
    verifies('authorization-security/client-pkce', 'oauth-2-1-grants/code-challenge')
    verifies('oauth-2-1-grants/unsupported-method', 'oauth-2-1-grants/verifier-without-challenge')
    verifies('oauth-2-1-security/verifier-against-injection', 'pkce/code-challenge')
    verifies('oauth-security-practice/code-injection', 'oauth-security-practice/pkce-downgrade')
    verifies('native-apps/pkce')
    verifies('pkce/challenge-is-required', { row: 'without code_challenge' })
    verifies('pkce/unsupported-method', { row: 'with the method s256 in lower case' })
    verifies('pkce/plain', { row: 'with the method plain' })
    const client = await AuthClient.register(openDeployment())
    expect(linkedErrorOf(await client.authorize(undefined, changes))).toEqual(
      errorWith('invalid_request'),
    )
  })
})

describe('the token endpoint', () => {
  it.each([
    ['of 43 characters', 'a'.repeat(43), 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA'],
    ['of 128 characters', `${'-._~'.repeat(32)}`, 'wEN2Mh1i33jhevH7WF-NulA1aGJPY9l0zG2M4t8rhw4'],
  ])('accepts a code verifier %s', async (_, code_verifier, code_challenge) => {
    verifies('oauth-2-1-grants/code-challenge', 'pkce/s256-is-implemented')
    verifies('pkce/method-of-the-code', 'oauth-security-practice/pkce-support')
    const client = await AuthClient.register(openDeployment())
    const code = await client.code({ code_challenge })
    expect(await bodyOf(await client.redeem(code, { code_verifier }))).toMatchObject({
      token_type: 'Bearer',
    })
  })

  it.each([
    ['a request without code_verifier', undefined, 'invalid_request'],
    ['an empty code verifier', '', 'invalid_request'],
    ['a code verifier of 42 characters', 'a'.repeat(42), 'invalid_request'],
    ['a code verifier of 129 characters', 'a'.repeat(129), 'invalid_request'],
    ['a code verifier with a reserved character', `${VERIFIER}+`, 'invalid_request'],
    ['a code verifier that is not ASCII', `${VERIFIER}ä`, 'invalid_request'],
    ['the code challenge in place of the verifier', CHALLENGE, 'invalid_grant'],
    ['another code verifier', 'a'.repeat(43), 'invalid_grant'],
  ])('rejects %s', async (_, code_verifier, error) => {
    verifies('authorization/pkce', 'oauth-2-1-grants/code-verifier-is-enforced')
    verifies('oauth-2-1-grants/challenge-is-kept', 'oauth-2-1-grants/code-is-required')
    verifies('oauth-2-1-grants/verifier-without-challenge')
    verifies('oauth-2-1-security/verifier-against-injection', 'pkce/challenge-is-kept')
    verifies('pkce/code-verifier', 'pkce/method-of-the-code')
    verifies('oauth-security-practice/code-injection')
    verifies('oauth-security-practice/verifier-is-enforced')
    verifies('oauth-security-practice/pkce-downgrade')
    verifies('pkce/wrong-verifier', { row: 'another code verifier' })
    const client = await AuthClient.register(openDeployment())
    const code = await client.code()
    const refused = await client.redeem(code, { code_verifier })
    expect(await refusalOf(refused)).toEqual(refusalWith(error))
    expect((await client.redeem(code)).status).toBe(200)
  })
})
