/** Records which lines each test file runs, from the counters of Istanbul that vitest collects after each file. */
import { SourceMap } from 'node:module'
import { relative } from 'node:path'
import type { Vitest } from 'vitest/node'
import { type Coverage, encodeLines } from './coverage.ts'

interface FileCounters {
  readonly path: string
  readonly s: Readonly<Record<string, number>>
  readonly statementMap: Readonly<Record<string, { readonly start: Position }>>
}

interface Position {
  readonly line: number
  readonly column: number
}

/** What the recorder uses of vitest's provider of coverage. */
interface Provider {
  onAfterSuiteRun(meta: SuiteCoverage): void
  generateCoverage(context: unknown): Promise<unknown>
  getInputSourceMaps(project: unknown, environment: string): ReadonlyMap<string, unknown>
  createCoverageMap(): unknown
}

interface SuiteCoverage {
  /** The file that holds the counters. */
  readonly coverage: string
  readonly testFiles: readonly string[]
  readonly projectName: string
  readonly environment: string
}

/** Returns what records into memory. `read` reads a file of counters. */
export function createRecorder(tree: string, read: (path: string) => string) {
  const tests: string[] = []
  const sizes: number[] = []
  const files: Record<string, [number, string][]> = {}
  /** The original line of each statement, by project and file. */
  const statements = new Map<string, ReadonlyMap<string, number>>()

  const addFile = (test: number, counters: FileCounters, lineOf: ReadonlyMap<string, number>) => {
    const lines = new Set<number>()
    for (const [statement, count] of Object.entries(counters.s)) {
      const line = lineOf.get(statement)
      if (count > 0 && line !== undefined) lines.add(line)
    }
    if (lines.size === 0) return
    const path = relative(tree, counters.path)
    files[path] = [...(files[path] ?? []), [test, encodeLines(lines)]]
    sizes[test] = (sizes[test] ?? 0) + lines.size
  }

  return {
    /** Makes a vitest whose coverage is enabled give its counters to the recorder. */
    async attach(vitest: Vitest): Promise<void> {
      await vitest.enableCoverage()
      const { coverageProvider: provider } = vitest as unknown as { coverageProvider: Provider }
      provider.onAfterSuiteRun = ({ coverage, testFiles, projectName, environment }) => {
        if (typeof coverage !== 'string') return
        const project = vitest.projects.find(({ name }) => name === projectName)
        const maps = provider.getInputSourceMaps(project, environment)
        const test = tests.push(`${projectName}:${relative(tree, testFiles.join())}`) - 1
        for (const counters of Object.values(
          JSON.parse(read(coverage)) as Record<string, FileCounters>,
        )) {
          const key = `${projectName} ${environment} ${counters.path}`
          const lineOf = statements.get(key) ?? originalLines(counters, maps.get(counters.path))
          statements.set(key, lineOf)
          addFile(test, counters, lineOf)
        }
      }
      provider.generateCoverage = async () => provider.createCoverageMap()
    },
    result: (): Coverage => ({ tests, files, sizes: tests.map((_, index) => sizes[index] ?? 0) }),
  }
}

function originalLines(counters: FileCounters, map: unknown): ReadonlyMap<string, number> {
  const source = map === undefined ? undefined : new SourceMap(map as never)
  return new Map(
    Object.entries(counters.statementMap).flatMap(([statement, { start }]) => {
      if (source === undefined) return [[statement, start.line] as const]
      const entry = source.findEntry(start.line - 1, start.column)
      return 'originalLine' in entry ? [[statement, entry.originalLine + 1] as const] : []
    }),
  )
}
