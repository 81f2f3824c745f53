import { app, Menu, type MenuItemConstructorOptions, type WebContents } from 'electron'
import type { Words } from './words.ts'

export interface MenuActions {
  /** Shows the window with this screen. */
  readonly open: (path: string) => void
  readonly showDataFolder: () => void
}

type Items = MenuItemConstructorOptions[]

/** The menu is hidden on Windows and Linux until Alt is pressed, but its shortcuts always work. */
export function setApplicationMenu(words: Words, actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(words, actions)))
}

function applicationMenu(words: Words, { open, showDataFolder }: MenuActions): Items {
  const isMac = process.platform === 'darwin'
  const settings: Items[number] = {
    label: words.settings,
    accelerator: 'CommandOrControl+,',
    click: () => open('/settings'),
  }
  const screens = [
    [words.home, '/'],
    [words.flows, '/flows'],
    [words.runs, '/runs'],
    [words.webhooks, '/webhooks'],
    [words.connectors, '/connectors'],
  ] as const
  return [
    ...(isMac ? [macMenu(settings)] : []),
    {
      label: words.flow,
      submenu: [
        { label: words.newFlow, accelerator: 'CommandOrControl+N', click: () => open('/flows?create=true') },
        {
          label: words.importFlow,
          accelerator: 'CommandOrControl+O',
          click: () => open('/flows?import=true'),
        },
        { type: 'separator' },
        { label: words.closeWindow, role: 'close' },
        ...(isMac
          ? []
          : ([
              { type: 'separator' },
              settings,
              { label: words.quit, role: 'quit', accelerator: 'CommandOrControl+Q' },
            ] as Items)),
      ],
    },
    { label: words.edit, role: 'editMenu' },
    {
      label: words.view,
      submenu: [
        { label: words.reload, role: 'reload' },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        // No foreign page ever runs here, but users could be tricked into running code in the developer tools.
        ...(app.isPackaged ? [] : ([{ role: 'toggleDevTools' }] as Items)),
      ],
    },
    {
      label: words.goTo,
      submenu: screens.map(([label, path], index) => ({
        label,
        accelerator: `CommandOrControl+${index + 1}`,
        click: () => open(path),
      })),
    },
    ...(isMac ? ([{ label: words.window, role: 'windowMenu' }] as Items) : []),
    {
      label: words.help,
      role: 'help',
      submenu: [
        { label: words.diagnostics, click: () => open('/doctor') },
        { label: words.showDataFolder, click: showDataFolder },
      ],
    },
  ]
}

const macMenu = (settings: Items[number]): Items[number] => ({
  label: app.name,
  submenu: [
    { role: 'about' },
    { type: 'separator' },
    settings,
    { type: 'separator' },
    { role: 'services' },
    { type: 'separator' },
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    { type: 'separator' },
    { role: 'quit' },
  ],
})

/** Adds a context menu, which Electron lacks, with corrections for a misspelled word and the clipboard commands. */
export function addContextMenu(contents: WebContents, words: () => Words): void {
  contents.on('context-menu', (_event, { isEditable, editFlags, misspelledWord, dictionarySuggestions }) => {
    const corrections: Items = dictionarySuggestions.map((suggestion) => ({
      label: suggestion,
      click: () => contents.replaceMisspelling(suggestion),
    }))
    if (misspelledWord !== '')
      corrections.push(
        {
          label: words().addToDictionary,
          click: () => void contents.session.addWordToSpellCheckerDictionary(misspelledWord),
        },
        { type: 'separator' },
      )
    const clipboard: Items = isEditable
      ? [
          { role: 'cut', enabled: editFlags.canCut },
          { role: 'copy', enabled: editFlags.canCopy },
          { role: 'paste', enabled: editFlags.canPaste },
          { type: 'separator' },
          { role: 'selectAll', enabled: editFlags.canSelectAll },
        ]
      : [{ role: 'copy', enabled: editFlags.canCopy }]
    if (isEditable || editFlags.canCopy) Menu.buildFromTemplate([...corrections, ...clipboard]).popup()
  })
}
