/**
 * Kills while a token of a connection is renewed: at a service that accepts the old refresh token for 30 seconds, and at one
 * that does not. `npm run renewal-kills` kills each 500 times. EDGEWAY_SEED repeats the moments of a run.
 */
// features: connections
import { expect, it, onTestFinished } from 'vitest'
import { Random } from '../../soak/random.ts'
import { delay } from '../sessions/delay.ts'
import { addressIn, type Connected, callModern, startConnected } from './connect.ts'

const { EDGEWAY_SEED = '', EDGEWAY_RENEWAL_KILLS } = process.env
const SEED = EDGEWAY_SEED === '' ? Random.newSeed() : Number(EDGEWAY_SEED)
const KILLS = Number(EDGEWAY_RENEWAL_KILLS ?? 4)
const TIMEOUT_MS = 60_000 + KILLS * 20_000

/** How long the service takes. It issues the new token at the end. */
const ANSWER_MS = 20

/** The kill comes so long after the call, or after the request to the service: before, at and after its answer. */
const AFTER_CALL_MS = 10
const AFTER_REQUEST_MS = 100

const renewals = ({ service }: Connected) =>
  service.requests.filter(({ fields }) => fields.grant_type === 'refresh_token').length

/** Kills the server during a renewal. Returns whether the service was asked before. */
async function killDuring(connected: Connected, random: Random): Promise<boolean> {
  const { server, service } = connected
  const before = renewals(connected)
  const isAsked = () => renewals(connected) > before
  service.answer('token', { afterMs: ANSWER_MS })
  let isOver = false
  const lost = callModern(connected, 'act')
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  const waits = random.chance(0.75)
  while (waits && !isAsked() && !isOver) await delay(1)
  await delay(random.between(0, waits ? AFTER_REQUEST_MS : AFTER_CALL_MS))
  await server.kill()
  await lost
  const asked = isAsked()
  service.answer('token', 'accept')
  await server.startAgain({ samePort: true })
  return asked
}

it.each([
  {
    graceSeconds: 30,
    loses: 'no connection at a service that accepts the old refresh token for 30 seconds',
  },
  {
    graceSeconds: 0,
    loses: 'those alone whose service was asked, where it does not, and asks for each once',
  },
])(
  'a server that is killed while it renews a token loses $loses',
  async ({ graceSeconds }) => {
    const connected = await startConnected(onTestFinished, graceSeconds)
    const random = new Random(SEED).fork(`${graceSeconds}`)
    const connect = async () =>
      connected.visit(addressIn((await callModern(connected, 'act')).content[0].text))
    await connect()
    const counts = { kills: 0, asked: 0, failed: 0, lost: 0 }
    if (EDGEWAY_RENEWAL_KILLS !== undefined) {
      onTestFinished(() => {
        process.stdout.write(`${graceSeconds} s, seed ${SEED}: ${JSON.stringify(counts)}\n`)
      })
    }
    while (counts.kills < KILLS) {
      const began = Date.now()
      const isAsked = await killDuring(connected, random)
      counts.kills += 1
      counts.asked += isAsked ? 1 : 0
      const before = renewals(connected)
      const result = await callModern(connected, 'act')
      if (result.structuredContent?.status === 200) continue
      const { text } = result.content[0]
      const address = addressIn(text)
      if (address === '' && text.includes('does not answer now')) {
        counts.failed += 1
        continue
      }
      const seen = { graceSeconds, isAsked, text, ms: Date.now() - began }
      expect(seen).toMatchObject({ graceSeconds: 0, isAsked: true })
      counts.lost += 1
      // The old token was tried once more, and never again.
      expect(addressIn((await callModern(connected, 'act')).content[0].text)).toBe(address)
      expect(renewals(connected)).toBe(before + 1)
      await connect()
    }
    expect(counts.asked).toBeGreaterThan(0)
    // A server that never answers would lose nothing either.
    expect(counts.failed).toBeLessThan(KILLS / 2)
  },
  TIMEOUT_MS,
)
