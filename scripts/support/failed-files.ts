/** A reporter that keeps the names of the test files that failed, for `npm run test:failed`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node'
import { PROJECT_DIRECTORY } from './project.ts'

export const FAILED_FILES = join(PROJECT_DIRECTORY, '.vitest/failed-files.json')

/** Paths from the project's directory. None: something failed that belongs to no file. */
export type FailedFiles = readonly string[]

export class FailedFilesReporter implements Reporter {
  onInit(): void {
    rmSync(FAILED_FILES, { force: true })
  }

  onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    errors: ReadonlyArray<SerializedError>,
    reason: TestRunEndReason,
  ): void {
    if (reason !== 'failed') return
    mkdirSync(dirname(FAILED_FILES), { recursive: true })
    writeFileSync(FAILED_FILES, JSON.stringify(listFailedFiles(modules, errors)))
  }
}

/** A file whose worker ended before it ran counts as failed: its state is not `passed`. */
function listFailedFiles(
  modules: ReadonlyArray<TestModule>,
  errors: ReadonlyArray<SerializedError>,
): FailedFiles {
  const files = new Set<string>()
  for (const module of modules) {
    const state = module.state()
    if (state !== 'passed' && state !== 'skipped') files.add(module.moduleId)
  }
  for (const error of errors) {
    if (typeof error.VITEST_TEST_PATH !== 'string') return []
    files.add(error.VITEST_TEST_PATH)
  }
  return [...files].map((file) => relative(PROJECT_DIRECTORY, file)).sort()
}
