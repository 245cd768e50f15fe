/** Requests that the server makes to other hosts, answered in memory. */
import { onTestFinished, vi } from 'vitest'

export type Respond = (url: string, init: RequestInit) => Response | Promise<Response>

/** Answers every outbound request until the test is over, and returns the addresses that were asked. */
export function interceptOutbound(respond: Respond): readonly string[] {
  const asked: string[] = []
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
    const url = String(input)
    asked.push(url)
    return respond(url, init)
  })
  onTestFinished(() => spy.mockRestore())
  return asked
}
