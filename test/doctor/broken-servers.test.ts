/** The reference server, broken in one way at a time: the doctor names the defect and nothing else. */
import { describe, it } from 'vitest'
import { DEFINITION_ROWS } from './broken/definitions.ts'
import { DISCOVERY_ROWS } from './broken/discovery.ts'
import { MESSAGE_ROWS } from './broken/messages.ts'
import { REACHING_ROWS } from './broken/reaching.ts'
import { rejectsModern } from './broken/row.ts'
import { SIGN_IN_ROWS } from './broken/sign-in.ts'
import { codesOf, concerned, disconnected, examineQuickly } from './examine.ts'
import { startReferenceServer } from './reference-server.ts'

const open = [...REACHING_ROWS, ...MESSAGE_ROWS, ...DEFINITION_ROWS].map((row) => ({
  ...row,
  kind: 'an open server',
}))
const closed = [...DISCOVERY_ROWS, ...SIGN_IN_ROWS].map((row) => ({
  ...row,
  kind: 'a protected server',
}))

describe('the doctor', () => {
  it.concurrent.for([...open, ...closed])(
    'names $fault alone at $kind when $when',
    async (row, { expect, onTestFinished }) => {
      const { fault, kind, defect, breaks = [], at: where = breaks, fix } = row
      const isProtected = kind === 'a protected server'
      const server = await startReferenceServer({ isProtected, defect })
      onTestFinished(() => server.stop())
      const report = await examineQuickly(server.url, { active: isProtected })
      expect(codesOf(report)).toEqual([fault])
      expect(concerned(report, fault)).toEqual(where)
      expect(disconnected(report)).toEqual(breaks)
      const finding = report.clients.flatMap(({ findings }) => findings).at(0)
      expect(finding?.fix).toMatch(fix)
    },
  )

  it('finds nothing at a correct open server', async ({ expect, onTestFinished }) => {
    const server = await startReferenceServer()
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
    expect(report.isReached).toBe(true)
  })

  it('finds nothing at a server of the session era alone', async ({ expect, onTestFinished }) => {
    const server = await startReferenceServer({ defect: rejectsModern })
    onTestFinished(() => server.stop())
    expect(codesOf(await examineQuickly(server.url))).toEqual([])
  })

  it('finds nothing at a correct protected server and gets a token', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await startReferenceServer({ isProtected: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url, { active: true })
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
    expect(report.notes.join()).not.toContain('--token')
  })

  it('registers nothing and redeems nothing without --active', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await startReferenceServer({ isProtected: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual([])
    expect(server.requests.filter(({ path }) => path === '/register')).toEqual([])
    expect(server.requests.filter(({ path }) => path === '/token')).toEqual([])
    expect(report.notes.join()).toContain('--token')
  })
})
