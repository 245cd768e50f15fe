/** Clean servers with one planted fault at a time: what directories name of it. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { startReferenceServer } from '../../../doctor/test/reference-server.ts'
import { OPEN, type Planted, PROTECTED } from '../../../faults/test/planted/table.ts'
import { examineServerFor } from '../../src/directories/examine.ts'
import { DIRECTORY_NAMES } from '../../src/directories/names.ts'

/** What directories say of the clean server: its tool has no title, no output and two hints too few. */
const OF_CLEAN: readonly string[] = [
  'tool-title-missing',
  'tool-hints-missing',
  'tool-output-missing',
]

async function examine(plant: Planted['plant'], isProtected: boolean) {
  const defect = plant && { defect: plant }
  const server = await startReferenceServer({ isProtected, ...defect })
  onTestFinished(() => server.stop())
  const options = { timeoutMs: 3000, active: true }
  const { directories } = await examineServerFor(DIRECTORY_NAMES, server.url, options)
  return [...new Set(directories.flatMap(({ findings }) => findings.map(({ code }) => code)))]
}

describe.each([
  { at: 'an open server', isProtected: false, rows: OPEN },
  { at: 'a protected server', isProtected: true, rows: PROTECTED },
])('a directory at $at', ({ isProtected, rows }) => {
  it('names what the clean server lacks', async () => {
    expect(await examine(undefined, isProtected)).toEqual(OF_CLEAN)
  })

  it.each(rows)('names $directories for $fault when $when', async ({ directories, plant }) => {
    const found = (await examine(plant, isProtected)).filter((code) => !OF_CLEAN.includes(code))
    expect(found.toSorted()).toEqual(directories.toSorted())
  })
})
