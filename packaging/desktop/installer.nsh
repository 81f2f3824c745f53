# What the Windows installer does besides what electron-builder gives it.

!macro preInit
  ${IfNot} ${AtLeastWin10}
    MessageBox MB_OK|MB_ICONSTOP "Millrace needs Windows 10 or newer." /SD IDOK
    Quit
  ${EndIf}
!macroend

# The menu entry and the icon on the desktop start the program with its flags (src/main/host/machine/process-flags.ts), like the menu
# entry on Linux. An update keeps both.
!macro customInstall
  ${If} $keepShortcuts == "false"
    !insertmacro startWithFlags "$newStartMenuLink"
    !insertmacro startWithFlags "$newDesktopLink"
  ${EndIf}
!macroend

!macro startWithFlags link
  ${If} ${FileExists} "${link}"
    CreateShortCut "${link}" "$appExe" '"--js-flags=--disallow-code-generation-from-strings --max-semi-space-size=16 --initial-old-space-size=64 --heap-growing-percent=100"' "$appExe" 0 "" "" "${APP_DESCRIPTION}"
    ClearErrors
    WinShell::SetLnkAUMI "${link}" "${APP_ID}"
  ${EndIf}
!macroend

# The start at login, which points to the program.
!macro customUnInstall
  ${IfNot} ${isUpdated}
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "Millrace"
  ${EndIf}
!macroend

# A box of the uninstaller, unchecked (/o). A silent uninstall, as an update runs it, keeps the data.
!macro customUnInstallSection
  Section /o "un.Delete flows, history and credentials"
    ${IfNot} ${isUpdated}
      SetShellVarContext current
      RMDir /r "$LOCALAPPDATA\Millrace\Data"
      RMDir /r "$LOCALAPPDATA\Millrace\Key"
      RMDir /r "$LOCALAPPDATA\Millrace\Cache"
      RMDir "$LOCALAPPDATA\Millrace"
    ${EndIf}
  SectionEnd
!macroend
