/** A project with one planted fault at a time: `edgeway doctor --config` names it, and nothing else. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { examineProject, type ProjectReport } from '../src/config/examine-project.ts'
import { observeProject } from '../src/config/observe-project.ts'
import type { ProjectObservations } from '../src/config/project-observations.ts'
import { codesOf } from './examine.ts'
import { APPS, MODULES } from './planted-projects.ts'
import { createProject, MAIN } from './project.ts'

describe('edgeway doctor --config', () => {
  it.each(MODULES)('names $fault alone when $when', async ({ fault, files, says = /./ }) => {
    const project = createProject(files)
    onTestFinished(() => project.remove())
    const report = examineProject(await observeProject(project.folder))
    expect(codesOf(report)).toEqual([fault])
    expect(report.clients[0]?.findings[0]?.message).toMatch(says)
  })

  describe('on several apps, whose main modules are loaded together', () => {
    let all: ProjectObservations

    beforeAll(async () => {
      const mains = APPS.map(({ files }, at) => [`app-${at}.ts`, files['worker.ts'] ?? ''] as const)
      const imports = mains.map(([name]) => `import './${name}'\n`).join('')
      const worker = `export * from './correct.ts'\nexport { default } from './correct.ts'\n${imports}`
      const modules = Object.fromEntries([['worker.ts', worker], ['correct.ts', MAIN], ...mains])
      const project = createProject(modules)
      all = await observeProject(project.folder).finally(() => project.remove())
    })

    /** As if there were no other app. */
    function examineApp(at: number): ProjectReport {
      const { worker } = all
      if (worker === undefined) throw new Error(all.failure?.message)
      return examineProject({ ...all, worker: { ...worker, apps: worker.apps.slice(at, at + 1) } })
    }

    it('names nothing for the correct one', () => {
      expect(codesOf(examineApp(0))).toEqual([])
    })

    it.each(APPS.map((row, at) => ({ ...row, at: at + 1 })))(
      'names $fault alone when $when',
      ({ fault, at }) => {
        expect(codesOf(examineApp(at))).toEqual([fault])
      },
    )

    it('names an outputSchema without "type": "object" for the clients of the modern revision alone', () => {
      const at = APPS.findIndex(({ fault }) => fault === 'tool-output-not-object')
      const { clients } = examineApp(at + 1)
      const named = clients.filter(({ findings }) => findings.length > 0).map(({ name }) => name)
      expect(named).toEqual(['Claude (web)', 'Claude Desktop', 'Claude Code'])
      expect(clients.filter(({ connects }) => !connects)).toEqual([])
    })
  })
})
