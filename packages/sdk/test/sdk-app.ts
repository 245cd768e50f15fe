/** Servers of `edgeway/sdk` in the tests. */

import type { TestApp } from '../../../test/support/test-app.ts'
import { McpServer } from '../src/index.ts'

export const create = () => new McpServer({ name: 's', version: '1' })

export async function callText(app: TestApp, name: string, args: object = {}): Promise<string> {
  const { body } = await app.modern('tools/call', { name, arguments: args })
  return body.result.content[0].text
}

export async function listed(app: TestApp, kind: 'tools' | 'prompts' | 'resources') {
  const { body } = await app.modern(`${kind}/list`)
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  return body.result[kind] as any[]
}
