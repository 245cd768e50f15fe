/**
 * `npm run coverage [-- FILTER…]`: runs the tests in workerd, or those whose path contains a filter, and
 * prints the coverage of branches of the objects and of authorization, for each directory, and the files
 * below 90 %.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatCoverage } from './support/coverage-table.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'

const MEASURED = ['durable-objects/**/*.ts', 'src/auth/**/*.ts']
const REPORTS = '.wrangler/coverage'

const { status } = spawnSync(
  'vitest',
  [
    ...['run', '--project', 'workers', ...process.argv.slice(2)],
    ...['--coverage.enabled', '--coverage.provider=istanbul', '--coverage.reporter=json-summary'],
    ...[`--coverage.reportsDirectory=${REPORTS}`, '--coverage.reportOnFailure'],
    ...MEASURED.map((files) => `--coverage.include=${files}`),
  ],
  { stdio: 'inherit', cwd: PROJECT_DIRECTORY },
)
const summary = readFileSync(join(PROJECT_DIRECTORY, REPORTS, 'coverage-summary.json'), 'utf8')
process.stdout.write(`${formatCoverage(JSON.parse(summary), PROJECT_DIRECTORY)}\n`)
process.exit(status ?? 1)
