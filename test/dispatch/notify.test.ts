import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createEdgeway, McpServer } from '../../src/index.ts'

describe('telling listeners from outside a request', () => {
  const edgeway = createEdgeway(new McpServer({ name: 's', version: '1' }))
  // Wrong news comes from JavaScript: the types already refuse it.
  const wrong = (value: unknown) => value as never

  it('resolves when nobody listens', async () => {
    const notify = edgeway.notify(env)
    await notify.toolsChanged()
    await notify.promptsChanged()
    await notify.resourcesChanged({ subject: 'ada' })
    await notify.resourceUpdated('note://a')
  })

  it('says what is missing where no hub is bound', async () => {
    await expect(edgeway.notify({}).toolsChanged()).rejects.toThrow(/bind MCP_HUB/)
  })

  it.each([['not a uri'], [5], [undefined], [{ a: 1 }], [`note://${'x'.repeat(8192)}`]])(
    'refuses %j for a resource',
    async (uri) => {
      await expect(edgeway.notify(env).resourceUpdated(wrong(uri))).rejects.toThrow(TypeError)
    },
  )

  it('refuses a subject that is none', async () => {
    await expect(edgeway.notify(env).resourcesChanged(wrong({ subject: 5 }))).rejects.toThrow(
      /a string/,
    )
  })
})
