/** A rule that looks at one tool after another. */
import type { Tool } from '../../../src/protocol/primitives.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryName } from '../names.ts'

/** Whether the member was left out of the tool because it is not valid, which is reported by itself. */
export type IsMalformed = (member: keyof Tool) => boolean

export const ofTools =
  (
    check: (tool: Tool, directory: DirectoryName, isMalformed: IsMalformed) => readonly Detected[],
  ): Rule =>
  ({ surface, malformed = [] }, directory) =>
    (surface?.tools ?? []).flatMap((tool) =>
      check(tool, directory, (member) =>
        malformed.some(
          (entry) => entry.list === 'tools' && entry.name === tool.name && entry.member === member,
        ),
      ),
    )
