/** A server with one planted fault at a time: the doctor names it, and nothing else. */
import { describe, it } from 'vitest'
import { codesOf, examineQuickly } from './examine.ts'
import { AUTHORIZATION } from './planted/authorization.ts'
import { ENDPOINT } from './planted/endpoint.ts'
import { TOOLS } from './planted/tools.ts'
import { startReferenceServer } from './reference-server.ts'

const PLANTED = [
  ...[...ENDPOINT, ...TOOLS].map((row) => ({ ...row, isProtected: false })),
  ...AUTHORIZATION.map((row) => ({ ...row, isProtected: true })),
]

describe('the doctor at a server with a planted fault', () => {
  it.concurrent.for(PLANTED)(
    'names $fault alone when $when',
    async ({ fault, defect, isProtected }, { expect, onTestFinished }) => {
      const server = await startReferenceServer({ isProtected, defect })
      onTestFinished(() => server.stop())
      const report = await examineQuickly(server.url, { active: isProtected })
      expect(codesOf(report)).toEqual([fault])
    },
  )

  it('names authorization-page-missing without --active too', async ({
    expect,
    onTestFinished,
  }) => {
    const row = AUTHORIZATION.find(({ fault }) => fault === 'authorization-page-missing')
    const server = await startReferenceServer({
      isProtected: true,
      ...(row && { defect: row.defect }),
    })
    onTestFinished(() => server.stop())
    expect(codesOf(await examineQuickly(server.url))).toEqual(['authorization-page-missing'])
  })
})
