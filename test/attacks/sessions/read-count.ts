/** Reads a durable counter of the fixture server. */
import type { HttpSession } from '../../support/http-session.ts'
import { readMessage } from '../../support/sse-reader.ts'

export async function readCount(session: HttpSession, name: string): Promise<number> {
  const response = await session.callTool('read_count', { name })
  const { result } = await readMessage(response)
  return result.structuredContent.value
}
