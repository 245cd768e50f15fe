import { mcp, type RequirementDocument } from './requirement.ts'

export const elicitation: RequirementDocument = {
  title: 'Elicitation',
  pages: [
    ...mcp('client/elicitation', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('schema', '2025-11-25'),
  ],
  requirements: [
    {
      id: 'form-mode-without-secrets',
      level: 'MUST NOT',
      clauses: [
        ...mcp('client/elicitation#user-interaction-model', '2025-11-25', '2026-07-28'),
        ...mcp('client/elicitation#form-mode-security', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server does not ask for sensitive information in form mode.',
      concerns: 'author',
    },
    {
      id: 'elicitation-without-secrets',
      level: 'MUST NOT',
      clauses: [
        ...mcp('client/elicitation#user-interaction-model', '2025-06-18'),
        ...mcp('client/elicitation#security-considerations', '2025-06-18'),
      ],
      says: 'The server does not ask for sensitive information by elicitation.',
      concerns: 'author',
    },
    {
      id: 'secrets-by-url-mode',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#user-interaction-model', '2025-11-25', '2026-07-28')],
      says: 'The server uses URL mode for sensitive information.',
      concerns: 'author',
    },
    {
      id: 'user-interface',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#user-interaction-model', '2025-11-25', '2026-07-28')],
      says: 'The client shows which server asks, lets its user decline, review answers and consent to navigation.',
      concerns: 'client',
    },
    {
      id: 'capability-at-initialization',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#capabilities', '2025-06-18', '2025-11-25')],
      says: 'The client declares the elicitation capability in initialize.',
      concerns: 'client',
      tests: [
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
      ],
    },
    {
      id: 'capability-in-each-request',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#capabilities', '2026-07-28')],
      says: 'The client declares the elicitation capability in every request.',
      concerns: 'client',
      tests: [
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
      ],
    },
    {
      id: 'one-mode-at-least',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#capabilities', '2025-11-25', '2026-07-28')],
      says: 'The client that declares elicitation supports at least one mode.',
      concerns: 'client',
    },
    {
      id: 'supported-modes-only',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#capabilities', '2025-11-25', '2026-07-28')],
      says: 'The server sends no elicitation in a mode that the client does not support.',
      tests: [
        'test/transport/session/client-capabilities.test.ts > a client that declares %s > receives the server request only if it declared the capability: %s',
        'test/dispatch/journal/asking-refused.test.ts > an ask that the client cannot answer > is answered with the missing capability: %s',
      ],
    },
    {
      id: 'parameters',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#elicitation-requests', '2025-11-25', '2026-07-28')],
      says: 'An elicitation has a message, and a mode unless the mode is form.',
      tests: [
        'test/transport/session/asks-by-revision.test.ts > form elicitation > has a mode and titled choices under 2025-11-25',
        'test/transport/session/asks-by-revision.test.ts > URL elicitation > has a mode and an elicitation id under 2025-11-25',
        'test/dispatch/journal/asking.test.ts > a handler with several asks > sends questions of any kind together when they are asked together',
      ],
    },
    {
      id: 'no-mode-is-form-mode',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#elicitation-requests', '2025-11-25', '2026-07-28')],
      says: 'The client treats an elicitation without a mode as a form.',
      concerns: 'client',
    },
    {
      id: 'form-parameters',
      level: 'MUST',
      clauses: [
        ...mcp('client/elicitation#form-mode-elicitation-requests', '2025-11-25', '2026-07-28'),
      ],
      says: 'A form has the mode form or none, and a requestedSchema.',
      tests: [
        'test/transport/session/asks-by-revision.test.ts > form elicitation > has a mode and titled choices under 2025-11-25',
        'test/transport/session/asks-by-revision.test.ts > form elicitation > has no mode, and enumNames instead of titled choices, under %s',
        'test/dispatch/journal/asking.test.ts > a handler with one ask > is answered with the question, and the next round runs it with the answer',
      ],
    },
    {
      id: 'url-parameters',
      level: 'MUST',
      clauses: [
        ...mcp('client/elicitation#url-mode-elicitation-requests', '2025-11-25', '2026-07-28'),
      ],
      says: 'A URL elicitation has the mode url, a message and a URL, and under 2025-11-25 an elicitationId.',
      tests: [
        'test/transport/session/asks-by-revision.test.ts > URL elicitation > has a mode and an elicitation id under 2025-11-25',
        'test/dispatch/journal/asking.test.ts > a handler with several asks > sends questions of any kind together when they are asked together',
      ],
    },
    {
      id: 'valid-url',
      level: 'MUST',
      clauses: [
        ...mcp('client/elicitation#url-mode-elicitation-requests', '2025-11-25', '2026-07-28'),
      ],
      says: 'The URL of an elicitation is valid.',
      tests: [
        'test/dispatch/journal/steps.test.ts > ctx.step > rejects %s > an address that is not https',
        'test/dispatch/journal/steps.test.ts > ctx.step > rejects %s > an address that is no URL',
      ],
    },
    {
      id: 'completion-to-the-asked-client',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/elicitation#completion-notifications-for-url-mode-elicitation',
          '2025-11-25',
        ),
      ],
      says: 'The server reports a completed elicitation to the client that was asked only.',
      tests: [
        'test/transport/session/url-elicitation.test.ts > a completed elicitation > is reported to the session that was asked, and to no other',
        'test/transport/session/url-elicitation.test.ts > a completed elicitation > is reported once, and not to a session that was asked for another',
      ],
    },
    {
      id: 'completion-has-the-id',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/elicitation#completion-notifications-for-url-mode-elicitation',
          '2025-11-25',
        ),
      ],
      says: 'The report of a completed elicitation has the elicitationId of the request.',
      tests: [
        'test/transport/session/url-elicitation.test.ts > a completed elicitation > is reported to the session that was asked, and to no other',
      ],
    },
    {
      id: 'unknown-completions-are-ignored',
      level: 'MUST',
      clauses: [
        ...mcp(
          'client/elicitation#completion-notifications-for-url-mode-elicitation',
          '2025-11-25',
        ),
      ],
      says: 'The client ignores the completion of an unknown or completed elicitation.',
      concerns: 'client',
    },
    {
      id: 'elicitation-id-is-opaque',
      level: 'MUST',
      clauses: [...mcp('schema#elicitrequesturlparams-elicitationid', '2025-11-25')],
      says: 'The client treats the elicitationId as opaque.',
      concerns: 'client',
    },
    {
      id: 'url-required-error-only-when-required',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#url-elicitation-required-error', '2025-11-25')],
      says: 'The server sends the error -32042 only when a URL elicitation is required.',
      tests: [
        'test/transport/session/url-elicitation.test.ts > UrlElicitationRequiredError > is a text result under %s with capabilities %j',
        'test/transport/session/url-elicitation.test.ts > UrlElicitationRequiredError > is error -32042 for a client with URL elicitation, which is notified of the completion',
      ],
    },
    {
      id: 'url-required-error-lists-elicitations',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#url-elicitation-required-error', '2025-11-25')],
      says: 'The error -32042 lists the elicitations that are required.',
      tests: [
        'test/transport/session/url-elicitation.test.ts > UrlElicitationRequiredError > is error -32042 for a client with URL elicitation, which is notified of the completion',
      ],
    },
    {
      id: 'url-required-error-has-url-elicitations',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#url-elicitation-required-error', '2025-11-25')],
      says: 'Each elicitation of the error -32042 has the mode url and an elicitationId.',
      tests: [
        'test/transport/session/url-elicitation.test.ts > UrlElicitationRequiredError > is error -32042 for a client with URL elicitation, which is notified of the completion',
      ],
    },
    {
      id: 'url-required-error-code',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#error-handling', '2025-11-25')],
      says: 'The server reports a required elicitation with the code -32042.',
      tests: [
        'test/transport/session/url-elicitation.test.ts > UrlElicitationRequiredError > is error -32042 for a client with URL elicitation, which is notified of the completion',
        'test/transport/session/url-elicitation.test.ts > UrlElicitationRequiredError > is error -32042 for prompts and resources',
      ],
    },
    {
      id: 'undeclared-mode-error',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#error-handling', '2025-11-25')],
      says: 'The client refuses an elicitation in a mode that it has not declared with code -32602.',
      concerns: 'client',
    },
    {
      id: 'state-belongs-to-a-user',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#statefulness', '2025-11-25', '2026-07-28')],
      says: 'The server binds the state of an elicitation to the user.',
      tests: [
        'test/clients/auth/principals.test.ts > the input state of a modern request > is rejected from another person or app and at another resource',
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
        'test/transport/session/responses.test.ts > a response to a server request > is unexpected in another session, and affects no call there',
      ],
    },
    {
      id: 'state-is-protected',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#statefulness', '2025-11-25', '2026-07-28')],
      says: 'The server protects the state of an elicitation against unauthorized access.',
      tests: [
        'test/dispatch/journal/request-state.test.ts > an invalid requestState > is rejected when any byte is changed',
        'test/transport/session/session-ids.test.ts > a stream > is found only with a valid id of its session',
        'test/clients/auth/principals.test.ts > a session of %s > cannot be read or deleted by another person',
      ],
    },
    {
      id: 'users-are-identified-by-credentials',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#statefulness', '2025-11-25', '2026-07-28')],
      says: 'The server identifies users by the credentials of the authorization.',
      tests: [
        'test/clients/auth/principals.test.ts > counters > are separate for each person',
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
      ],
    },
    {
      id: 'state-is-not-bound-to-session-ids-alone',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#statefulness', '2025-11-25')],
      says: 'The server does not bind state to a session id alone.',
      tests: [
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
        'test/clients/auth/principals.test.ts > a session of %s > cannot be read or deleted by another person',
      ],
    },
    {
      id: 'no-sign-in-by-elicitation',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'client/elicitation#url-mode-elicitation-for-oauth-flows',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server does not use URL elicitation to authorize its own users.',
      concerns: 'author',
    },
    {
      id: 'third-party-credentials-bypass-the-client',
      level: 'MUST NOT',
      clauses: [
        ...mcp('client/elicitation#understanding-the-distinction', '2025-11-25', '2026-07-28'),
      ],
      says: 'Credentials of a third party do not pass through the client.',
      concerns: 'author',
    },
    {
      id: 'client-credentials-stay-here',
      level: 'MUST NOT',
      clauses: [
        ...mcp('client/elicitation#understanding-the-distinction', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server does not use the credentials of the client for a third party.',
      concerns: 'author',
    },
    {
      id: 'user-authorizes-the-server',
      level: 'MUST',
      clauses: [
        ...mcp('client/elicitation#understanding-the-distinction', '2025-11-25', '2026-07-28'),
      ],
      says: 'The user authorizes the server at the third party directly.',
      concerns: 'author',
    },
    {
      id: 'refusals-are-handled',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#error-handling', '2026-07-28')],
      says: 'The server handles users that decline or cancel, and clients that fail.',
      tests: [
        'test/dispatch/journal/asking.test.ts > a handler with one ask > receives the action %s',
        'test/transport/session/responses.test.ts > a response to a server request > fails the call with its message when it is an error',
        'test/dispatch/journal/asking-refused.test.ts > an answer that does not fit > with %s ends the call when it is given three times',
      ],
    },
    {
      id: 'elicitation-is-bound-to-client-and-user',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#security-considerations', '2025-11-25', '2026-07-28')],
      says: 'The server binds an elicitation to the client and the user.',
      tests: [
        'test/clients/auth/principals.test.ts > the input state of a modern request > is rejected from another person or app and at another resource',
        'test/durable-objects/session/callers.test.ts > a run that resumes with the answer to its ask > has the caller that started it, with the present props of its grant',
        'test/attacks/sessions/races.test.ts > the answer to an ask > has no effect when it comes from another session',
      ],
    },
    {
      id: 'client-names-the-server',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#security-considerations', '2025-11-25', '2026-07-28')],
      says: 'The client shows which server asks.',
      concerns: 'client',
    },
    {
      id: 'url-without-personal-data',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#safe-url-handling', '2025-11-25', '2026-07-28')],
      says: 'The URL of an elicitation has no sensitive information about the user.',
      concerns: 'author',
    },
    {
      id: 'url-is-not-preauthenticated',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#safe-url-handling', '2025-11-25', '2026-07-28')],
      says: 'The URL of an elicitation gives no access by itself.',
      concerns: 'author',
    },
    {
      id: 'urls-are-handled-carefully',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#safe-url-handling', '2025-11-25', '2026-07-28')],
      says: 'The client handles URLs so that its user opens no malicious link unknowingly.',
      concerns: 'client',
    },
    {
      id: 'urls-are-not-fetched',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#safe-url-handling', '2025-11-25', '2026-07-28')],
      says: 'The client does not fetch the URL in advance.',
      concerns: 'client',
    },
    {
      id: 'urls-are-opened-with-consent',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#safe-url-handling', '2025-11-25', '2026-07-28')],
      says: 'The client does not open the URL without consent.',
      concerns: 'client',
    },
    {
      id: 'urls-are-shown',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#safe-url-handling', '2025-11-25', '2026-07-28')],
      says: 'The client shows the whole URL before consent.',
      concerns: 'client',
    },
    {
      id: 'urls-are-opened-securely',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#safe-url-handling', '2025-11-25', '2026-07-28')],
      says: 'The client opens the URL where neither the client nor a model can read the page.',
      concerns: 'client',
    },
    {
      id: 'client-claims-are-not-trusted',
      level: 'MUST NOT',
      clauses: [...mcp('client/elicitation#identifying-the-user', '2025-11-25', '2026-07-28')],
      says: 'The server does not trust an identity that the client states.',
      tests: [
        'test/clients/auth/principals.test.ts > counters > are separate for each person',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
      ],
    },
    {
      id: 'user-of-the-url-is-verified',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#phishing', '2025-11-25', '2026-07-28')],
      says: 'The server verifies the identity of the user who opens the URL.',
      concerns: 'author',
    },
    {
      id: 'same-user-completes',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#phishing', '2025-11-25', '2026-07-28')],
      says: 'The server ensures that the user who completes the page is the user who was asked.',
      concerns: 'author',
    },
    {
      id: 'identity-survives-changed-urls',
      level: 'MUST',
      clauses: [...mcp('client/elicitation#phishing', '2025-11-25', '2026-07-28')],
      says: 'The server identifies the user by a mechanism that withstands a changed URL.',
      concerns: 'author',
    },
  ],
}
