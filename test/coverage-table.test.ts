/** The table that `npm run coverage` prints. */
import { expect, it } from 'vitest'
import { formatCoverage } from '../scripts/support/coverage-table.ts'

it('the table of coverage has one row for each directory, and the files below 90 %', () => {
  const file = (covered: number, total: number) => ({ branches: { covered, total } })
  const summary = {
    total: file(29, 40),
    '/project/src/auth/bearer.ts': file(19, 20),
    '/project/src/auth/pages/layout.ts': file(0, 0),
    '/project/durable-objects/hub/schema.ts': file(1, 10),
    '/project/durable-objects/hub/hub-object.ts': file(9, 10),
  }
  expect(formatCoverage(summary, '/project').split('\n')).toEqual([
    'Covered branches by directory:',
    '   50.0 %      10/20  durable-objects/hub',
    '   95.0 %      19/20  src/auth',
    '  100.0 %        0/0  src/auth/pages',
    '   72.5 %      29/40  all',
    'Files below 90 %:',
    '   10.0 %       1/10  durable-objects/hub/schema.ts',
  ])
})
