import type { RequirementDocument } from './requirement.ts'

const PAGE =
  'https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx'
const at = (anchor: string) => [`${PAGE}#${anchor}`]

const SERVER = 'test/dispatch/skills.test.ts > a server with skills'
const FOLDER = 'test/dispatch/skills.test.ts > resources/directory/read'
const COMMAND = 'test/skills-command.test.ts'
const REGISTRATION = 'test/server/skills.test.ts > registerSkill with a malformed skill'
const SUITE =
  'test/conformance/suite.test.ts > the server scenarios of %s > include %s, which passes'

/** The extension `io.modelcontextprotocol/skills`. */
export const skills: RequirementDocument = {
  title: 'Skills (extension)',
  pages: [PAGE],
  requirements: [
    {
      id: 'declared-methods-exist',
      level: 'MUST',
      clauses: [...at('capability-negotiation'), ...at('listing-skills'), ...at('getting-a-skill')],
      says: 'A server that declares the extension implements skills/list and skills/get.',
      tests: [
        `${SERVER} > lists a skill with every file, each with the digest and size of what is read`,
        `${SERVER} > answers skills/get with the entry of the list`,
      ],
    },
    {
      id: 'declared-directory-read-exists',
      level: 'MUST',
      clauses: [...at('capability-negotiation'), ...at('reading-directories')],
      says: 'A server that declares directoryRead implements resources/directory/read for each folder of its skills.',
      tests: [
        `${FOLDER} > returns the direct children of a folder, and folders as folders`,
        `${FOLDER} > reads the folders above a skill`,
        `${SUITE} > sep-2640-skills-directory`,
      ],
    },
    {
      id: 'client-reads-declared-directories-only',
      level: 'MUST NOT',
      clauses: at('capability-negotiation'),
      says: 'A client reads no folder of a server that does not declare directoryRead.',
      concerns: 'client',
    },
    {
      id: 'resources-are-declared',
      level: 'MUST',
      clauses: at('capability-negotiation'),
      says: 'A server that declares the extension declares resources too.',
      tests: [`${SERVER} > declares the extension and its resources`],
    },
    {
      id: 'skills-conform',
      level: 'MUST',
      clauses: at('skill-format'),
      says: 'A skill has a SKILL.md that begins with frontmatter with a name and a description, as the Agent Skills specification says.',
      tests: [
        `${REGISTRATION} > refuses %s`,
        `${COMMAND} > a wrong SKILL.md > with %s is named with its line`,
      ],
    },
    {
      id: 'path-ends-with-name',
      level: 'MUST',
      clauses: [...at('resource-mapping'), ...at('frontmatter')],
      says: 'The last segment of the path of a skill is its name, by the naming rules of the Agent Skills specification.',
      tests: [`${REGISTRATION} > refuses %s > another name than its folder`],
    },
    {
      id: 'authority-is-not-resolved',
      level: 'MUST NOT',
      clauses: at('resource-mapping'),
      says: 'A client resolves the authority of a skill URI at no network.',
      concerns: 'client',
    },
    {
      id: 'scheme-makes-no-skill',
      level: 'MUST NOT',
      clauses: at('resource-mapping'),
      says: 'A host takes no resource for a skill because of its scheme.',
      concerns: 'host',
    },
    {
      id: 'nested-skill-is-text',
      level: 'MUST NOT',
      clauses: at('nested-skills'),
      says: 'A host does not act on the frontmatter of a skill within another one that it has not activated.',
      concerns: 'host',
    },
    {
      id: 'frontmatter-is-that-of-the-file',
      level: 'MUST',
      clauses: at('frontmatter'),
      says: 'The frontmatter of an entry is that of its SKILL.md.',
      tests: [
        `${SERVER} > writes frontmatter that YAML reads as it was given`,
        `${COMMAND} > a folder of skills > becomes skills with their paths, frontmatter and files`,
        `${SUITE} > sep-2640-skills-manifest`,
      ],
    },
    {
      id: 'host-keeps-server-and-uri',
      level: 'MUST',
      clauses: [...at('skill-uris'), ...at('names')],
      says: 'A host identifies a skill by its server and its URI, and never by the URI or the name alone.',
      concerns: 'host',
    },
    {
      id: 'entry-has-resources',
      level: 'MUST',
      clauses: at('resources'),
      says: 'Each entry has resources: a list of every file of the skill, once, with digest and size, or the text dynamic.',
      tests: [
        `${SERVER} > lists a skill with every file, each with the digest and size of what is read`,
        `${SERVER} > counts the files of a skill within its folder as its own`,
        'test/dispatch/skills.test.ts > a skill that is generated for each read > is dynamic in its entry, and its SKILL.md has its frontmatter',
        `${SUITE} > sep-2640-skills-manifest`,
      ],
    },
    {
      id: 'host-declines-entry-without-resources',
      level: 'MUST NOT',
      clauses: at('resources'),
      says: 'A host loads no skill whose entry has no valid resources.',
      concerns: 'host',
    },
    {
      id: 'host-supports-limits',
      level: 'MUST',
      clauses: at('limits'),
      says: 'A host supports skills of 512 files and 16 MiB.',
      concerns: 'host',
    },
    {
      id: 'results-are-complete',
      level: 'MUST',
      clauses: [...at('listing-skills'), ...at('getting-a-skill'), ...at('reading-directories')],
      says: 'The results of the three methods have the resultType complete.',
      tests: [
        `${SERVER} > lists a skill with every file, each with the digest and size of what is read`,
        `${SUITE} > sep-2640-skills-enumeration`,
        `${SUITE} > sep-2640-skills-directory`,
      ],
    },
    {
      id: 'list-and-entry-have-cache-hints',
      level: 'MUST',
      clauses: [...at('listing-skills'), ...at('getting-a-skill')],
      says: 'The results of skills/list and skills/get have ttlMs and cacheScope.',
      tests: [
        `${SERVER} > lists a skill with every file, each with the digest and size of what is read`,
        `${SUITE} > sep-2640-skills-enumeration`,
      ],
    },
    {
      id: 'empty-list-proves-nothing',
      level: 'MUST NOT',
      clauses: at('listing-skills'),
      says: 'A host takes an empty or partial list for no proof that the server has no skills, and can load a skill by its URI.',
      concerns: 'host',
    },
    {
      id: 'get-names-skill-file',
      level: 'MUST',
      clauses: at('getting-a-skill'),
      says: 'The URI of skills/get is that of a SKILL.md.',
      concerns: 'client',
      tests: ['test/dispatch/skills.test.ts > skills/get > refuses %s > the folder of a skill'],
    },
    {
      id: 'unknown-skill-is-invalid-params',
      level: 'MUST',
      clauses: [...at('getting-a-skill'), ...at('error-handling')],
      says: 'The server answers -32602 to skills/get with a URI at which it serves no skill.',
      tests: [
        'test/dispatch/skills.test.ts > skills/get > refuses %s > an unknown skill',
        `${SUITE} > sep-2640-skills-enumeration`,
      ],
    },
    {
      id: 'every-skill-has-an-entry',
      level: 'MUST',
      clauses: at('getting-a-skill'),
      says: 'The server answers skills/get for every skill it serves.',
      tests: [`${SERVER} > answers skills/get with the entry of the list`],
    },
    {
      id: 'no-folder-is-invalid-params',
      level: 'MUST',
      clauses: [...at('reading-directories'), ...at('error-handling')],
      says: 'The server answers -32602 to resources/directory/read with a URI that is no folder.',
      tests: [`${FOLDER} > refuses %s`, `${SUITE} > sep-2640-skills-directory`],
    },
    {
      id: 'unknown-file-is-invalid-params',
      level: 'MUST',
      clauses: at('error-handling'),
      says: 'The server answers -32602 to resources/read of a file of a skill that it does not serve.',
      tests: [
        'test/dispatch/skills.test.ts > a skill for some callers > is in no list, entry or folder for the others',
      ],
    },
    {
      id: 'host-verifies-content',
      level: 'MUST',
      clauses: at('integrity-and-verification'),
      says: 'A host compares each file with the digest and size of its entry, and SKILL.md with the frontmatter, uses nothing that differs, and reads no file that the entry does not have.',
      concerns: 'host',
    },
    {
      id: 'host-retrieves-lazily',
      level: 'MUST NOT',
      clauses: at('integrity-and-verification'),
      says: 'A host retrieves no file of a skill before it needs it, and takes no digest for a security boundary.',
      concerns: 'host',
    },
    {
      id: 'host-treats-skills-as-untrusted',
      level: 'MUST',
      clauses: at('security-considerations'),
      says: 'A host treats skills as untrusted input of their server: it names the origin, asks before code runs, binds reads to the server, and grants no permission that a skill asks for.',
      concerns: 'host',
    },
  ],
}
