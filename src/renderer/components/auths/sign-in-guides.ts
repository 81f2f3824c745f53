import { type English, english } from '../../lib/i18n.ts'

/** The six steps of signing in with your own app at a provider, as data. */
export interface Guide {
  readonly steps: readonly GuideStep[]
  readonly client: ClientRules
}

export interface GuideStep {
  readonly title: English
  /** The page of the provider's console. `{api}` is the API of the connector. */
  readonly url?: string
  /** What to do there. `<b>` marks words on that page. */
  readonly lines: readonly English[]
  /** The same for an app that is opened at a public URL. */
  readonly outside?: readonly English[]
  /** What this step asks for, or offers to copy. */
  readonly parts?: readonly GuidePart[]
}

export type GuidePart = 'access' | 'scopes' | 'redirect' | 'outside-redirect' | 'accounts' | 'client'

interface ClientRules {
  readonly idLabel: English
  readonly id: RegExp
  readonly idError: English
  /** Whether an app on this computer has a secret. */
  readonly hasSecret: boolean
  /** Matches text that can't be a secret. */
  readonly notSecret: RegExp
  readonly secretError: English
}

export const GUIDES: Readonly<Record<string, Guide | undefined>> = {
  google: {
    client: {
      idLabel: english('Client ID'),
      id: /^[\w-]+\.apps\.googleusercontent\.com$/,
      idError: english('A Google client ID ends in .apps.googleusercontent.com.'),
      hasSecret: true,
      notSecret: /\.apps\.googleusercontent\.com$/,
      secretError: english('This is the client ID. The secret usually begins with GOCSPX-.'),
    },
    steps: [
      {
        title: english('Create a project'),
        url: 'https://console.cloud.google.com/projectcreate',
        lines: [
          english(
            'Sign in with your Google account, enter <b>Millrace</b> as the project name and choose <b>Create</b>. One project is enough for all Google connectors.',
          ),
        ],
      },
      {
        title: english('Enable the API'),
        url: 'https://console.cloud.google.com/apis/library/{api}',
        lines: [english('Check that your project is selected at the top, then choose <b>Enable</b>.')],
      },
      {
        title: english('Set up the consent screen'),
        url: 'https://console.cloud.google.com/auth/scopes',
        lines: [
          english(
            'Choose <b>Get started</b>, enter <b>Millrace</b> as the app name, and enter your own email addresses. The audience is <b>External</b>, or <b>Internal</b> if you only use accounts in your own Google Workspace.',
          ),
          english(
            'Under <b>Data access</b> choose <b>Add or remove scopes</b>, paste these into <b>Manually add scopes</b>, then choose <b>Add to table</b>, <b>Update</b> and <b>Save</b>.',
          ),
        ],
        parts: ['access', 'scopes'],
      },
      {
        title: english('Decide who can sign in'),
        url: 'https://console.cloud.google.com/auth/audience',
        lines: [
          english(
            'While the publishing status is <b>Testing</b>, choose <b>Add users</b> and enter the email address of each account that signs in. Every sign-in then ends after 7 days.',
          ),
          english(
            'To stay signed in, choose <b>Publish app</b>. For your own use, no verification is needed: when you sign in, choose <b>Advanced</b>, then <b>Go to Millrace</b>. An internal app needs neither.',
          ),
        ],
      },
      {
        title: english('Create the client'),
        url: 'https://console.cloud.google.com/auth/clients/create',
        lines: [
          english(
            'Choose <b>Desktop app</b> as the application type, then <b>Create</b>. There is no redirect URL to enter: Google accepts this computer with any port.',
          ),
          english('Copy both values here. Google shows the secret only once.'),
        ],
        outside: [
          english(
            'Choose <b>Web application</b> as the application type, add this URL under <b>Authorized redirect URIs</b>, then choose <b>Create</b>.',
          ),
          english('Copy both values here. Google shows the secret only once.'),
        ],
        parts: ['outside-redirect', 'client'],
      },
      {
        title: english('Sign in and test'),
        lines: [
          english(
            'Accept everything that Google asks for. Millrace then tests the new access with one call.',
          ),
        ],
      },
    ],
  },
  microsoft: {
    client: {
      idLabel: english('Application (client) ID'),
      id: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
      idError: english('It looks like 1b4e28ba-2fa1-41d2-883f-0016d3cca427.'),
      hasSecret: false,
      notSecret: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
      secretError: english('This is the ID of the secret. Copy its value.'),
    },
    steps: [
      {
        title: english('Register the app'),
        url: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
        lines: [
          english(
            'Choose <b>New registration</b> and enter <b>Millrace</b> as the name. No directory yet? Create a free Azure account; it comes with one.',
          ),
        ],
      },
      {
        title: english('Choose the accounts'),
        lines: [
          english(
            'Under <b>Supported account types</b> choose who signs in, and make the same choice here. Then choose <b>Register</b>. One app is enough for all Microsoft connectors.',
          ),
        ],
        parts: ['accounts'],
      },
      {
        title: english('Enter the redirect URL'),
        lines: [
          english(
            'In the app, under <b>Authentication</b>, add a redirect URI for the platform <b>Mobile and desktop applications</b>, paste this URL and save. Microsoft ignores the port.',
          ),
        ],
        outside: [
          english(
            'In the app, under <b>Authentication</b>, add a redirect URI for the platform <b>Web</b>, paste this URL and save.',
          ),
        ],
        parts: ['redirect'],
      },
      {
        title: english('Add the permissions'),
        lines: [
          english(
            'Under <b>API permissions</b> choose <b>Add a permission</b>, <b>Microsoft Graph</b>, <b>Delegated permissions</b>, and select each of these.',
          ),
          english(
            'In an organization, an administrator may have to choose <b>Grant admin consent</b>. There are no test users: everybody with such an account can sign in.',
          ),
        ],
        parts: ['access', 'scopes'],
      },
      {
        title: english('Copy the client ID'),
        lines: [english('It is under <b>Overview</b>. A desktop app has no secret.')],
        outside: [
          english(
            'It is under <b>Overview</b>. Under <b>Certificates & secrets</b> choose <b>New client secret</b>, then copy its value.',
          ),
        ],
        parts: ['client'],
      },
      {
        title: english('Sign in and test'),
        lines: [
          english(
            'Accept everything that Microsoft asks for. Millrace then tests the new access with one call.',
          ),
        ],
      },
    ],
  },
}
