/** The texts of menus, dialogs and notifications, in the languages of the app. */
import type { Settings } from '../../shared/contract/settings.ts'

const ENGLISH = {
  open: 'Open Millrace',
  quit: 'Quit Millrace',
  flow: 'Flow',
  newFlow: 'New flow',
  importFlow: 'Import flow…',
  closeWindow: 'Close window',
  edit: 'Edit',
  view: 'View',
  reload: 'Reload',
  goTo: 'Go to',
  home: 'Home',
  flows: 'Flows',
  runs: 'Runs',
  webhooks: 'Webhooks',
  connectors: 'Connectors',
  settings: 'Settings',
  window: 'Window',
  help: 'Help',
  diagnostics: 'Diagnostics',
  showDataFolder: 'Show data folder',
  addToDictionary: 'Add to dictionary',
  keepRunning: 'Keep Millrace running in the tray?',
  keepRunningDetail:
    'Schedules and webhooks continue while the window is closed. You can change this in Settings.',
  keep: 'Keep running',
  cancel: 'Cancel',
  leave: 'Leave',
  stay: 'Stay',
  unsaved: 'Leave without saving your changes?',
  notResponding: 'The window is not responding',
  notRespondingDetail: 'Flows continue to run. Reloading loses unsaved changes.',
  wait: 'Wait',
  crashed: 'The window stopped working',
  crashedDetail: 'Flows continue to run in the background. Only unsaved changes in this window are lost.',
  updateAvailable: 'Millrace {version} is available',
  updateDetail: 'You can install it in Settings.',
  locked: 'Stored credentials are locked',
  passphrase: 'Passphrase',
  unlock: 'Unlock',
  wrongPassphrase: 'Wrong passphrase. Try again.',
  moveTitle: 'Choose a folder for the data',
  moveQuestion: 'Move the data folder to {folder}?',
  moveDetail: 'Millrace stops, copies everything, and starts again.',
  moveNow: 'Move',
  moveFailed: 'The data folder was not moved',
  portTaken: '{title} – {host}, because port {port} is taken',
  runFailed: 'A flow run failed',
  runsFailed: '{count} flow runs failed',
}

export type Words = Readonly<typeof ENGLISH>

const GERMAN: Words = {
  open: 'Millrace öffnen',
  quit: 'Millrace beenden',
  flow: 'Flow',
  newFlow: 'Neuer Flow',
  importFlow: 'Flow importieren …',
  closeWindow: 'Fenster schließen',
  edit: 'Bearbeiten',
  view: 'Ansicht',
  reload: 'Neu laden',
  goTo: 'Gehe zu',
  home: 'Start',
  flows: 'Flows',
  runs: 'Läufe',
  webhooks: 'Webhooks',
  connectors: 'Connectors',
  settings: 'Einstellungen',
  window: 'Fenster',
  help: 'Hilfe',
  diagnostics: 'Diagnose',
  showDataFolder: 'Datenordner zeigen',
  addToDictionary: 'Zum Wörterbuch hinzufügen',
  keepRunning: 'Soll Millrace im Infobereich weiterlaufen?',
  keepRunningDetail:
    'Zeitpläne und Webhooks laufen weiter, während das Fenster geschlossen ist. Sie können das in den Einstellungen ändern.',
  keep: 'Weiterlaufen lassen',
  cancel: 'Abbrechen',
  leave: 'Verlassen',
  stay: 'Bleiben',
  unsaved: 'Ohne Speichern verlassen?',
  notResponding: 'Das Fenster reagiert nicht',
  notRespondingDetail: 'Flows laufen weiter. Beim Neuladen gehen ungespeicherte Änderungen verloren.',
  wait: 'Warten',
  crashed: 'Das Fenster ist abgestürzt',
  crashedDetail:
    'Flows laufen im Hintergrund weiter. Nur ungespeicherte Änderungen in diesem Fenster sind verloren.',
  updateAvailable: 'Millrace {version} ist verfügbar',
  updateDetail: 'Sie können die Version in den Einstellungen installieren.',
  locked: 'Gespeicherte Zugangsdaten sind gesperrt',
  passphrase: 'Passphrase',
  unlock: 'Entsperren',
  wrongPassphrase: 'Falsche Passphrase. Versuchen Sie es noch einmal.',
  moveTitle: 'Ordner für die Daten wählen',
  moveQuestion: 'Datenordner nach {folder} verschieben?',
  moveDetail: 'Millrace hält an, kopiert alles und startet neu.',
  moveNow: 'Verschieben',
  moveFailed: 'Der Datenordner wurde nicht verschoben',
  portTaken: '{title} – {host}, weil Port {port} belegt ist',
  runFailed: 'Ein Flow-Lauf ist fehlgeschlagen',
  runsFailed: '{count} Flow-Läufe sind fehlgeschlagen',
}

/** @param systemLocale as `app.getLocale()` returns it: `de-AT` */
export function wordsIn(language: Settings['language'], systemLocale: string): Words {
  const isGerman = language === 'system' ? /^de\b/.test(systemLocale) : language === 'de'
  return isGerman ? GERMAN : ENGLISH
}

/** Replaces `{name}` in the sentence. */
export function fill(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
