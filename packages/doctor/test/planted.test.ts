/** Clean servers with one planted fault at a time: the doctor names it and nothing else, for the clients that meet it. */
import { describe, it } from 'vitest'
import { CLIENT_NAMES } from '../../client/src/names.ts'
import { effectOn } from '../../faults/src/fault.ts'
import { FAULTS } from '../../faults/src/faults.ts'
import { OPEN, type Planted, PROTECTED, WITH_EVENTS } from '../../faults/test/planted/table.ts'
import { codesOf, concerned, disconnected, examineQuickly } from './examine.ts'
import { startEventServer } from './reference-events.ts'
import { startReferenceServer } from './reference-server.ts'

type At = 'an open server' | 'a protected server' | 'a server with events'

const of = (at: At) => (row: Planted) => ({ ...row, at })

const ROWS = [
  ...OPEN.map(of('an open server')),
  ...PROTECTED.map(of('a protected server')),
  ...WITH_EVENTS.map(of('a server with events')),
]

const start = ({ plant, sender, at }: Planted & { readonly at: At }) => {
  const defect = plant && { defect: plant }
  if (at === 'a server with events')
    return startEventServer({ ...defect, ...(sender && { sender }) })
  return startReferenceServer({ isProtected: at === 'a protected server', ...defect })
}

describe('the doctor', () => {
  it.concurrent.for(ROWS)(
    'names $fault alone at $at when $when',
    async (row, { expect, onTestFinished }) => {
      const { fault, at, met = CLIENT_NAMES, says = /./, timeoutMs } = row
      const server = await start(row)
      onTestFinished(() => server.stop())
      const report = await examineQuickly(server.url, {
        active: at !== 'an open server',
        eventWaitMs: 700,
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
      const affected = met.filter((name) => effectOn(FAULTS[fault], name) !== undefined)
      expect(codesOf(report)).toEqual([fault])
      expect(concerned(report, fault)).toEqual(affected)
      expect(disconnected(report)).toEqual(
        affected.filter((name) => effectOn(FAULTS[fault], name) === 'breaks'),
      )
      const messages = report.clients.flatMap(({ findings }) =>
        findings.map(({ message }) => message),
      )
      expect(messages[0]).toMatch(says)
      for (const message of messages) expect(message).toMatch(/\.$/)
    },
  )
})
