/** Requires the features that a definition uses. */
import { APPS_EXTENSION, UI_META } from '../protocol/apps.ts'
import type { Definition } from '../server/definition.ts'

/**
 * @param call the function whose option `features` is meant, where it is not `createEdgeway`
 * @throws {TypeError} that names the value to add
 */
export function checkUses(
  { tools, skills }: Pick<Definition, 'tools' | 'skills'>,
  installed: ReadonlyMap<string, unknown>,
  call?: string,
): void {
  const where = call === undefined ? '' : ` in the options of ${call}`
  const need = (subject: string, name: string) => {
    if (installed.has(name)) return
    throw new TypeError(`${subject} needs features: [${name}()]${where}`)
  }
  for (const { info, task, files, limitClass } of tools.values()) {
    const subject = `Tool "${info.name}"`
    if (task !== undefined) need(`${subject} with task`, 'tasks')
    if (files) need(`${subject} with files: true`, 'files')
    if (limitClass !== undefined) need(`${subject} with limitClass`, 'rateLimits')
    if (info._meta?.[UI_META] !== undefined) need(`${subject} with ui (${APPS_EXTENSION})`, 'apps')
  }
  const [skill] = skills.keys()
  if (skill !== undefined) need(`Skill ${skill}`, 'skills')
}
