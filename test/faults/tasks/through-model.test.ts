/** A question that goes through the model of a client without forms, over kills before and after its answer. */
import { expect, it } from 'vitest'
import { requestOf } from '../../attacks/modern.ts'
import { readMessage } from '../../support/sse-reader.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'

it.each(['question', 'answer'] as const)(
  'a question through the model survives a kill after the %s',
  async (killedAfter) => {
    const server = await PersistentServer.start()
    try {
      const call = async (name: string, args: object) => {
        const params = { name, arguments: args }
        const request = requestOf(server.url, 'tools/call', params, name, undefined, {})
        const response = await fetch(request)
        return (await readMessage(response)).result
      }
      const asked = await call('ask_count', { name: killedAfter })
      expect(asked.content[0].text).toContain(`question: "Count ${killedAfter}?"`)
      const handle = asked._meta['dev.edgeway/handle']
      const answer = { handle, action: 'accept', answers: { ok: true } }
      if (killedAfter === 'question') {
        await server.kill()
      } else {
        const lost = call('answer_question', answer).catch(() => undefined)
        await Promise.race([lost, new Promise((resolve) => setTimeout(resolve, 20))])
        await server.kill()
        await lost
      }
      await server.startAgain({ samePort: true })
      const result = await call('answer_question', answer)
      expect(result.structuredContent).toEqual({ action: 'accept', ok: true })
      expect(result._meta['dev.edgeway/via']).toBe('model')
      for (const step of ['first', 'second']) {
        const counted = await call('read_count', { name: `${killedAfter}-${step}` })
        expect(counted.structuredContent).toEqual({ value: 1 })
      }
    } finally {
      await server.stop()
    }
  },
)
