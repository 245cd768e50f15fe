/**
 * `npm run test:failed`: runs the test files that failed in the last `vitest run` once more, one at a time;
 * everything, if what failed belongs to no file, such as a worker of vitest that did not start. Exits with 0 if
 * all of them pass then. What passes alone depends on the speed of the machine or on another test, which is a
 * defect of the test.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { FAILED_FILES, type FailedFiles } from './support/failed-files.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'

/** More failures than these have one cause, and are no accident. */
const MAX_FILES = 12

const files = readFailedFiles()
print('What failed in the last run runs once more, one file at a time:', files)
const { status } = spawnSync('vitest', ['run', '--no-file-parallelism', ...files], {
  stdio: 'inherit',
  cwd: PROJECT_DIRECTORY,
})
if (status === 0) print('This failed in the whole run and passed alone. Make it reliable:', files)
process.exit(status ?? 1)

function readFailedFiles(): FailedFiles {
  if (!existsSync(FAILED_FILES)) fail('The last run recorded no failed test file.')
  const files = JSON.parse(readFileSync(FAILED_FILES, 'utf8')) as FailedFiles
  if (files.length > MAX_FILES) fail(`${files.length} test files failed, too many to be accidents.`)
  return files
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

function print(line: string, files: FailedFiles): void {
  process.stdout.write(
    `\n${line}\n${(files.length > 0 ? files : ['everything']).map((file) => `  ${file}\n`).join('')}\n`,
  )
}
