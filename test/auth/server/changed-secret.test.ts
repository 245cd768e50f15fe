import { describe, expect, it } from 'vitest'
import { AuthClient, statusWith } from './support/client.ts'
import { createBindings, openDeployment } from './support/deployment.ts'

const OLD_SECRET = 'an-old-secret-of-more-than-thirty-two-characters'
const NEW_SECRET = 'a-new-secret-of-more-than-thirty-two-characters'

const hooks = { onIssue: () => ({ props: { tier: 'gold' } }) }

describe('an access token of a grant with props', () => {
  it.each([
    ['is rejected when EDGEWAY_SECRET was replaced', NEW_SECRET, 401],
    ['is accepted when the new secret was added in front', `${NEW_SECRET} ${OLD_SECRET}`, 200],
  ])('%s', async (_, secret, status) => {
    const bindings = createBindings({ EDGEWAY_SECRET: OLD_SECRET })
    const before = openDeployment({ hooks }, { bindings })
    const { access } = await (await AuthClient.register(before)).tokens()
    expect(await statusWith(before, access)).toBe(200)
    const after = openDeployment({ hooks }, { bindings: { ...bindings, EDGEWAY_SECRET: secret } })
    expect(await statusWith(after, access)).toBe(status)
  })
})
