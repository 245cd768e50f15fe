import { mcp, type RequirementDocument } from './requirement.ts'

export const prompts: RequirementDocument = {
  title: 'Prompts',
  pages: [
    ...mcp('server/prompts', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('server/resources', '2026-07-28'),
    ...mcp('server/tools', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'capability',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/prompts#capabilities',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server that has prompts declares the prompts capability.',
      tests: [
        'test/transport/session/change-forwarder.test.ts > a session under %s > declares listChanged and subscribe',
        'test/clients/handshake.test.ts > a client in %s mode > receives the server info, the instructions and the capabilities',
        'test/dispatch/lists.test.ts > lists of registered definitions > has no list method for a kind of definition that is not registered',
      ],
    },
    {
      id: 'list',
      level: 'MUST',
      clauses: [...mcp('server/prompts#capabilities', '2026-07-28')],
      says: 'The server lists the prompts that are available to the client.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > returns every item of %s once, in order, page by page',
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is missing from the list, and the list is private',
      ],
    },
    {
      id: 'list-does-not-depend-on-the-connection',
      level: 'MUST NOT',
      clauses: [
        ...mcp('server/prompts#capabilities', '2026-07-28'),
        ...mcp('server/resources#capabilities', '2026-07-28'),
        ...mcp('server/tools#capabilities', '2026-07-28'),
      ],
      says: 'The list of prompts does not depend on the connection or on earlier requests.',
      tests: [
        'test/dispatch/lists.test.ts > lists of registered definitions > answers equal requests with equal bytes except for the id',
      ],
    },
    {
      id: 'image-content',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/prompts#image-content',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The image of a prompt is base64 text with a MIME type.',
      concerns: 'author',
      tests: [
        'test/clients/prompts.test.ts > a client in %s mode > gets a prompt with an image',
        'test/dispatch/handlers.test.ts > a handler that returns an invalid result > answers with an error result when the handler returns %s > an image without a type',
      ],
    },
    {
      id: 'audio-content',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/prompts#audio-content',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The audio of a prompt is base64 text with a MIME type.',
      concerns: 'author',
      tests: [
        'test/property/codecs.test.ts > the codecs of a %s > send to the two newest revisions exactly what the handler returned',
      ],
    },
    {
      id: 'embedded-resource',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/prompts#embedded-resources',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'An embedded resource has a URI, a MIME type, and text or base64 data.',
      tests: [
        'test/clients/prompts.test.ts > a client in %s mode > gets a prompt with an embedded resource',
        'test/dispatch/handlers.test.ts > a handler that returns an invalid result > answers with an error result when the handler returns %s > a resource with neither text nor blob',
      ],
    },
    {
      id: 'inputs-and-outputs-are-validated',
      level: 'MUST',
      clauses: [
        ...mcp(
          'server/prompts#security',
          '2024-11-05',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server validates the inputs and outputs of prompts.',
      tests: [
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a missing prompt argument',
        'test/transport/modern-ladder.test.ts > the ladder of a modern request > refuses %s > a prompt argument that is a number',
        'test/dispatch/resources-prompts-completion.test.ts > prompts/list and prompts/get > answers an error when a prompt handler returns %j',
        'test/dispatch/lists.test.ts > a definition that is not visible to the principal > is answered like a definition that does not exist',
      ],
    },
  ],
}
