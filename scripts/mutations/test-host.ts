/**
 * A process that holds one vitest over one tree, and runs the test files that its parent names, again and again:
 * a run of a file that vitest has loaded takes half a second, a new process eight. `suite.ts` is the parent.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { createRecorder } from './coverage-recorder.ts'
import type { HostRequest, HostResponse, TestFailure } from './host-messages.ts'

/** Tests of a project with a global setup use what it builds from the source, which happens once in a process. */
const needsNewProcess = ({ project }: TestSpecification): boolean =>
  project.config.globalSetup.length > 0

const tree = process.cwd()
const vitestPath = createRequire(join(tree, 'package.json')).resolve('vitest/node')
const { createVitest } = (await import(
  pathToFileURL(vitestPath).href
)) as typeof import('vitest/node')

let vitest: Vitest | undefined
let specifications: ReadonlyMap<string, TestSpecification> = new Map()

process.on('disconnect', () => process.exit(1))

process.on('message', (request: HostRequest) => {
  answer(request).then(send, (error: unknown) =>
    send({ type: 'failed', reason: error instanceof Error ? String(error.stack) : String(error) }),
  )
})

function send(response: HostResponse): void {
  process.send?.(response)
}

async function answer(request: HostRequest): Promise<HostResponse> {
  if (request.type === 'close') {
    await vitest?.close()
    process.exit(0)
  }
  if (request.type === 'open') {
    const { projects, maxWorkers } = request
    vitest = await createVitest('test', {
      ...{ watch: false, run: true, project: [...projects], bail: 1, reporters: [{}] },
      ...(maxWorkers === undefined ? {} : { maxWorkers }),
    })
    const found = await vitest.globTestSpecifications()
    specifications = new Map(found.map((specification) => [keyOf(specification), specification]))
    return {
      type: 'opened',
      files: [...specifications.keys()],
      rebuilt: found.filter(needsNewProcess).map(keyOf),
    }
  }
  if (request.type === 'record') return record(request.projects)
  if (vitest === undefined) throw new TypeError('The host is not open.')
  for (const file of request.changed) vitest.invalidateFile(join(tree, file))
  const { test } = request
  const wanted = request.files.flatMap((key) => specifications.get(key) ?? [])
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    test === undefined
      ? wanted
      : wanted.map(({ project, moduleId }) =>
          project.createSpecification(moduleId, { testIds: [test] }),
        ),
  )
  return {
    type: 'ran',
    failures: testModules.flatMap(failuresOf),
    errors: unhandledErrors.map(textOf),
  }
}

async function record(projects: readonly string[]): Promise<HostResponse> {
  const recorder = createRecorder(tree, (path) => readFileSync(path, 'utf8'))
  const recording = await createVitest('test', {
    ...{ watch: false, run: true, project: [...projects], reporters: [{}] },
    coverage: {
      ...{ enabled: true, provider: 'istanbul', reporter: [], reportOnFailure: true },
      include: ['{src,durable-objects,cli,inspector}/**/*.{ts,tsx}'],
    },
  })
  await recorder.attach(recording)
  await recording.runTestSpecifications(await recording.globTestSpecifications())
  await recording.close()
  return { type: 'recorded', coverage: recorder.result() }
}

const keyOf = ({ project, moduleId }: TestSpecification): string =>
  `${project.name}:${relative(tree, moduleId)}`

function failuresOf(module: TestModule): readonly TestFailure[] {
  const key = `${module.project.name}:${relative(tree, module.moduleId)}`
  const failed = [...module.children.allTests('failed')].map((test: TestCase) => ({
    ...{ key, id: test.id },
    title: test.fullName,
    message: (test.result().errors ?? []).map(textOf).join('\n'),
  }))
  if (failed.length > 0 || module.state() !== 'failed') return failed
  // A hook failed, or the file could not be loaded.
  const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors())
  const message = [...module.errors(), ...suites].map(textOf).join('\n')
  return [{ key, title: 'the file itself', message }]
}

function textOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}
