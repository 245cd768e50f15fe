/** Reads a durable counter of the fixture server. */
import type { TestClient } from './connect-client.ts'

export async function readCount({ call }: Pick<TestClient, 'call'>, name: string) {
  const { structuredContent } = await call('read_count', { name })
  return structuredContent.value as number
}
