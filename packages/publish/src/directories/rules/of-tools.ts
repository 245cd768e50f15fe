/** A rule that looks at one tool after another. */
import type { Tool } from '../../../../../src/protocol/primitives.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryName } from '../names.ts'

/** Whether the member was left out of the tool because it is not valid, which is reported by itself. */
type IsMalformed = (member: keyof Tool) => boolean

/** Adds what was found of the tool. */
type Add = (code: Detected['code'], seen: string, isDoubtful?: boolean) => void

type Look = (tool: Tool, add: Add, isMalformed: IsMalformed, directory: DirectoryName) => void

export const ofTools =
  (look: Look): Rule =>
  ({ surface, malformed = [] }, directory) =>
    (surface?.tools ?? []).flatMap((tool) => {
      const found: Detected[] = []
      const isMalformed: IsMalformed = (member) =>
        malformed.some(
          (entry) => entry.list === 'tools' && entry.name === tool.name && entry.member === member,
        )
      const add: Add = (code, seen, isDoubtful) =>
        found.push({ code, tool: tool.name, seen, isDoubtful })
      look(tool, add, isMalformed, directory)
      return found
    })
