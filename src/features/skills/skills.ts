/** `skills()`: serves the skills of a definition as the extension `io.modelcontextprotocol/skills`. */

import { createFeature } from '../../feature/create-feature.ts'
import type { Feature, FeatureParts } from '../../feature/feature.ts'
import { SKILLS_EXTENSION } from '../../protocol/skills.ts'
import { checkNestedSkills } from './define-skill.ts'
import { getSkill, listSkills, readDirectory } from './methods.ts'

export type Skills = Feature<'skills'>

export function skills(): Skills {
  return createFeature('skills', createParts)
}

const row = { extension: SKILLS_EXTENSION, feature: 'extensions' } as const

function createParts(): FeatureParts {
  return {
    checkDefinition: checkNestedSkills,
    dispatch: {
      methods: [
        { method: 'skills/list', run: listSkills, ...row },
        { method: 'skills/get', run: getSkill, ...row },
        { method: 'resources/directory/read', run: readDirectory, ...row },
      ],
      capabilities: ({ skills }) =>
        skills.size > 0 ? { extensions: { [SKILLS_EXTENSION]: { directoryRead: true } } } : {},
    },
  }
}
